import Foundation
import LeakHTTPClient
import Testing

/// A full disk, a file size limit, and a read-only data folder. Reports that cannot be written are rejected with `Retry-After`,
/// no batch is counted in part, and reports are accepted again as soon as they can be written.
@Suite struct FullDiskTests {
    /// Returns reports of new leaks, which need further pages of the database.
    private static func batch(_ number: Int) -> [UInt8] {
        let reports = (0..<reportsPerBatch).map { report in
            #"{"class":"Shop.Screen\#(number)_\#(report)","path":["\#(String(repeating: "x", count: 200))"]}"#
        }
        return Array(#"{"app":{"id":"full"},"reports":[\#(reports.joined(separator: ","))]}"#.utf8)
    }

    private static let reportsPerBatch = 50

    /// Sends a batch of reports until it is accepted, as reporters do. Every answer before that must say when to retry.
    private static func sendUntilAccepted(_ number: Int, to collector: CollectorProcess, _ client: HTTPClient)
        throws
    {
        var isAccepted = false
        for _ in 0..<200 where !isAccepted {
            let answer = try client.report(batch(number), to: collector.address, idempotencyKey: "\(number)")
            isAccepted = answer.status == 200
            guard !isAccepted else { break }
            #expect(answer.status == 503)
            #expect(answer["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
            usleep(100_000)
        }
        #expect(isAccepted)
    }

    /// Returns the status of `/readyz`.
    private static func readyStatus(_ collector: CollectorProcess, _ client: HTTPClient) throws -> Int {
        try client.get("\(collector.address)/readyz").status
    }

    @Test(
        .enabled(
            if: SmallDisk.isAvailable,
            "mounting a small disk needs root; the test with a limit of file sizes does not"))
    func `reports are rejected while the disk is full, and accepted again once it has space`() throws {
        // At least 64 MiB must be free for reports to be accepted.
        let disk = try SmallDisk(mebibytes: 80)
        let collector = try CollectorProcess(data: disk.path + "/data")
        let client = try HTTPClient()
        try Self.sendUntilAccepted(0, to: collector, client)
        var sent = 1
        var words: Set<String> = []
        // The collector checks the free space once a second. Before the next check, a request fails when it is written
        // to the full disk.
        for _ in 0..<40 where !words.contains(where: { $0.contains("the disk is full") }) {
            try disk.fill()
            let answer = try client.report(
                Self.batch(sent), to: collector.address, idempotencyKey: "\(sent)")
            if answer.status == 200 {
                sent += 1
                continue
            }
            #expect(answer.status == 503)
            #expect(answer["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
            words.insert(String(decoding: answer.body, as: UTF8.self))
            disk.empty()
            try Self.sendUntilAccepted(sent, to: collector, client)
            sent += 1
            #expect(try client.reportCount(at: collector.address) == sent * Self.reportsPerBatch)
        }
        #expect(words.contains { $0.contains("the disk is full") }, "\(words)")

        try disk.fill()
        #expect(try eventually { try Self.readyStatus(collector, client) == 503 })
        let refused = try client.report(Self.batch(sent), to: collector.address, idempotencyKey: "\(sent)")
        #expect(refused.status == 503)
        #expect(String(decoding: refused.body, as: UTF8.self).contains("the disk is nearly full"))
        #expect(refused["Retry-After"] == "60")
        #expect(
            try client.reportCount(at: collector.address) == sent * Self.reportsPerBatch, "still readable")
        disk.empty()
        #expect(try eventually { try Self.readyStatus(collector, client) == 200 })
        try Self.sendUntilAccepted(sent, to: collector, client)
        #expect(try client.reportCount(at: collector.address) == (sent + 1) * Self.reportsPerBatch)
        collector.kill(SIGTERM)
        #expect(collector.wait() == 0)
    }

    #if os(Linux)
        @Test
        func `reports are rejected while a file size limit prevents writing, and accepted without the limit`()
            throws
        {
            let folder = try TemporaryFolder()
            let collector = try CollectorProcess(data: folder.path)
            let client = try HTTPClient()
            try Self.sendUntilAccepted(0, to: collector, client)
            let log = try FileManager.default.attributesOfItem(atPath: folder.path + "/leaks.sqlite-wal")
            let size = try #require(log[.size] as? Int)
            for (number, room) in [0, 1, 4_096, 50_000].enumerated() {
                try Self.limitFiles(of: collector, to: "\(size + room)")
                let answer = try client.report(
                    Self.batch(number + 1), to: collector.address, idempotencyKey: "\(number + 1)")
                #expect(answer.status == 503)
                #expect(answer["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
                #expect(try client.reportCount(at: collector.address) == (number + 1) * Self.reportsPerBatch)
                #expect(try Self.readyStatus(collector, client) == 503)
                try Self.limitFiles(of: collector, to: "unlimited")
                try Self.sendUntilAccepted(number + 1, to: collector, client)
                #expect(try client.reportCount(at: collector.address) == (number + 2) * Self.reportsPerBatch)
                #expect(try Self.readyStatus(collector, client) == 200)
            }
            collector.kill(SIGTERM)
            #expect(collector.wait() == 0)
        }

        /// Limits the size of the files that the collector writes. Sets only the soft limit, which can be raised again.
        private static func limitFiles(of collector: CollectorProcess, to bytes: String) throws {
            #expect(
                try run("prlimit", ["--pid", "\(collector.processIdentifier)", "--fsize=\(bytes):unlimited"])
                    == 0)
        }
    #endif

    @Test(.enabled(if: SmallDisk.isAvailable || geteuid() != 0, "root can write into read-only folders"))
    func `a read-only data folder gives a one-line error`() throws {
        let disk = geteuid() == 0 ? try SmallDisk(mebibytes: 80) : nil
        let folder = try TemporaryFolder()
        let data = (disk?.path ?? folder.path) + "/data"
        let collector = try CollectorProcess(data: data)
        try Self.sendUntilAccepted(0, to: collector, try HTTPClient())
        collector.kill(SIGTERM)
        #expect(collector.wait() == 0)
        if let disk {
            try disk.makeReadOnly()
        } else {
            for name in ["/leaks.sqlite", ""] { unsafe chmod(data + name, 0o500) }
        }
        defer { unsafe chmod(data, 0o700) }
        for place in [data, data + "/new"] {
            let run = try CollectorProcess.run(
                ["--port", "0", "--data", place],
                environment: ["COLLECTOR_PUBLIC": CollectorProcess.publicFolder])
            #expect(run.code != 0)
            #expect(
                run.errors.contains("read-only") || run.errors.contains("cannot be written")
                    || run.errors.contains("cannot make"), "\(run.errors)")
            #expect(run.errors.filter(\.isNewline).count == 1, "\(run.errors)")
        }
    }
}

/// Returns `true` if `condition` becomes true within about 20 seconds. A running server needs a second or two to
/// notice a change by itself.
func eventually(_ condition: () throws -> Bool) throws -> Bool {
    for _ in 0..<400 {
        if try condition() { return true }
        usleep(50_000)
    }
    return false
}

/// Runs a tool of the system.
///
/// - Returns: its exit code.
func run(_ tool: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}

/// A small file system (tmpfs), which a test can fill. It is unmounted when this object is deallocated.
private final class SmallDisk {
    /// True if this machine allows the tests to mount such a file system.
    static let isAvailable: Bool = geteuid() == 0 && (try? SmallDisk(mebibytes: 1)) != nil

    private let folder: TemporaryFolder
    private let filler: String

    var path: String { folder.path }

    struct Failed: Error {}

    init(mebibytes: Int) throws {
        folder = try TemporaryFolder()
        filler = folder.path + "/filler"
        let code = try run("mount", ["-t", "tmpfs", "-o", "size=\(mebibytes)m", "tmpfs", folder.path])
        guard code == 0 else { throw Failed() }
    }

    deinit { _ = try? run("umount", ["--lazy", folder.path]) }

    /// Fills the disk to the last byte.
    func fill() throws {
        let file = unsafe open(filler, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { throw Failed() }
        defer { close(file) }
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        for size in [1 << 20, 4_096, 1] {
            while unsafe bytes.withUnsafeBytes({ unsafe write(file, $0.baseAddress, size) }) == size {}
        }
    }

    func empty() { unsafe unlink(filler) }

    func makeReadOnly() throws {
        guard try run("mount", ["-o", "remount,ro", folder.path]) == 0 else { throw Failed() }
    }
}
