import Foundation
import LeakTransport
import Testing

@testable import LeakReporter

@Suite struct StateFileTests {
    private func file(in place: TemporaryFolder) -> StateFile {
        StateFile(folder: place.path + "/deep/down", name: "collection")
    }

    @Test func `reading a state file returns the text that was written last`() throws {
        let place = TemporaryFolder()
        #expect(try file(in: place).read() == nil)
        for text in ["off", "on", "", "Größe"] {
            try file(in: place).write(text)
            #expect(try file(in: place).read() == text)
            #expect(place.names("deep/down") == ["collection"])
        }
        #expect(try place.mode("deep/down/collection") == 0o600)
    }

    @Test func `a failed write leaves the old state file, and no draft`() throws {
        let place = TemporaryFolder()
        try file(in: place).write("off")
        // A folder cannot be replaced by a file.
        let folder = StateFile(folder: place.path + "/deep", name: "down")
        #expect(throws: FileFailure.self) { try folder.write("on") }
        #expect(try file(in: place).read() == "off")
        #expect(throws: FileFailure.self) { try folder.read() }
        #expect(place.names("deep") == ["down"])
        let under = StateFile(folder: place.path + "/deep/down/collection", name: "x")
        #expect(throws: FileFailure.self) { try under.write("on") }
    }

    @Test
    func `drafts of a killed process are removed at the next start, and drafts of a running process stay`()
        throws
    {
        let place = SharedQueueFolder()
        try FileManager.default.createDirectory(atPath: place.folder, withIntermediateDirectories: true)
        let digits = String(repeating: "0a", count: 16)
        let others = ["spent", "spent.txt", "other." + digits, "install." + digits + "0"]
        for name in others + ["spent." + digits, "collection." + digits] {
            #expect(FileManager.default.createFile(atPath: place.folder + "/" + name, contents: nil))
        }
        let running = place.folder + "/install." + digits
        let descriptor = try FileDescriptor(running, .appending)
        try descriptor.lock(path: running)
        let reporter = place.reporter(FakeTransport { _, _ in .noResponse(reason: "offline") })
        #expect(
            eventually {
                !place.files.contains("collection." + digits) && !place.files.contains("spent." + digits)
            })
        #expect(Set(place.files).isSuperset(of: others + ["install." + digits]))
        withExtendedLifetime(reporter) {}
    }

    @Test func `a huge state file is read only up to a limit`() throws {
        let place = TemporaryFolder()
        try file(in: place).write(String(repeating: "x", count: 1_000_000))
        #expect(((try? file(in: place).read())?.utf8.count ?? 0) <= 64 * 1024 + 1024)
    }

    @Test func `a read of a state file during concurrent writes returns one of the written texts`() throws {
        let place = TemporaryFolder()
        try file(in: place).write("start")
        let done = DispatchSemaphore(value: 0)
        let file = file(in: place)
        for text in ["on", "off"] {
            Thread {
                for _ in 0..<100 { try? file.write(text) }
                done.signal()
            }.start()
        }
        for _ in 0..<200 { #expect(["start", "on", "off"].contains((try? file.read()) ?? "")) }
        for _ in 0..<2 { #expect(done.wait(timeout: .now() + 60) == .success) }
        #expect(place.names("deep/down") == ["collection"])
    }
}

@Suite struct DailyByteUsageTests {
    @Test(arguments: [
        ("20416 1000", DailyByteUsage(day: 20_416, newBytes: 1_000)), ("0 0", DailyByteUsage()),
        ("-3 1", DailyByteUsage(day: -3, newBytes: 1)),
        ("", nil), ("1", nil), ("1 2 3", DailyByteUsage(day: 1, newBytes: 2, repeatedBytes: 3)),
        ("1 2 3 4", nil), ("1 0 9223372036854775807", nil), ("1 9223372036854775807", nil),
        ("1 2 -3", nil), ("1 -2", nil), ("x 2", nil), ("1 99999999999999999999", nil),
    ])
    func `a line of the state file gives the usage of a day, or nil if the line is invalid`(
        line: String, usage: DailyByteUsage?
    ) {
        #expect(DailyByteUsage(line: line) == usage)
        if let usage { #expect(DailyByteUsage(line: usage.line) == usage) }
    }

    /// Each pair is a day and the bytes used on it. The sum is the usage of this process since the base, added to the usage
    /// that the other process wrote. The usage of an earlier day no longer counts.
    @Test(
        arguments: [
            ((5, 30), (5, 10), (5, 10), (5, 30)), ((5, 30), (5, 50), (5, 10), (5, 70)),
            ((5, 30), (6, 50), (5, 10), (6, 50)), ((6, 30), (5, 50), (5, 10), (6, 30)),
            ((6, 30), (6, 50), (5, 10), (6, 80)), ((5, 5), (5, 50), (5, 10), (5, 50)),
        ] as [((Int, Int), (Int, Int), (Int, Int), (Int, Int))])
    func `the bytes that two processes use on one day are added up`(
        mine: (Int, Int), other: (Int, Int), base: (Int, Int), sum: (Int, Int)
    ) {
        let total = DailyByteUsage(day: mine.0, newBytes: mine.1).added(
            to: DailyByteUsage(day: other.0, newBytes: other.1),
            since: DailyByteUsage(day: base.0, newBytes: base.1))
        #expect(total == DailyByteUsage(day: sum.0, newBytes: sum.1))
    }
}
