import Foundation
import Testing

#if os(Linux)
    import Glibc
#endif

@testable import LeakReporter

/// Run folders on a real disk.
@Suite struct RunFolderTests {
    private func run(_ name: String, in place: TemporaryFolder) -> RunFolder {
        RunFolder(in: place.path, name: name)
    }

    /// Creates a folder as a killed process leaves it: with files, and with a lock that no process holds.
    private func leave(_ files: [String], by name: String, in place: TemporaryFolder) {
        let folder = run(name, in: place)
        for file in files { _ = folder.append(Array(file.utf8), to: file) }
    }

    @Test func `appended bytes are in the file, readable only by this user`() throws {
        let place = TemporaryFolder()
        let folder = run("1", in: place)
        #expect(folder.append([1, 2], to: "a.segment") == (2, nil))
        #expect(folder.append([9], to: "b.session") == (1, nil))
        #expect(folder.append([3], to: "a.segment") == (1, nil))
        try folder.sync("a.segment")
        try folder.sync("b.session")
        #expect(try folder.read("a.segment") == [1, 2, 3])
        #expect(place.names("run-1") == ["a.segment", "b.session", "lock"])
        #expect(try place.mode("run-1") == 0o700)
        #expect(try place.mode("run-1/a.segment") == 0o600)
        #expect(try place.mode("run-1/lock") == 0o600)
        #expect(try place.mode("") == 0o700)
        try folder.remove("a.segment")
        try folder.remove("a.segment")
        #expect(throws: FileFailure.self) { try folder.read("a.segment") }
        #expect(throws: FileFailure.self) { try folder.sync("a.segment") }
        #expect(place.names("run-1") == ["b.session", "lock"], "reading a missing file creates none")
        #expect(folder.adopt() == ["b.session"])
    }

    #if os(Linux)
        @Test func `a child process does not hold the lock of a run that ended in its parent`() {
            let place = TemporaryFolder()
            var ends: [Int32] = [0, 0]
            let made = unsafe pipe(&ends)
            #expect(made == 0)
            let child: pid_t
            do {
                let folder = run("1", in: place)
                _ = folder.append([1], to: "a.segment")
                child = fork()
                if child == 0 {
                    // Lives until its parent closes the pipe.
                    var byte: UInt8 = 0
                    close(ends[1])
                    _ = unsafe Glibc.read(ends[0], &byte, 1)
                    _exit(0)
                }
            }
            #expect(child > 0)
            // The child closes its copy of the lock's descriptor right after the fork, but at an unknown time.
            #expect(
                eventually { run("2", in: place).adopt() == ["a.segment"] || place.names("run-1").isEmpty })
            #expect(place.names("run-1").isEmpty)
            close(ends[0])
            close(ends[1])
            var status: Int32 = 0
            unsafe waitpid(child, &status, 0)
        }
    #endif

    @Test func `a run creates no folder before its first write`() {
        let place = TemporaryFolder()
        do {
            let folder = run("1", in: place)
            #expect(folder.adopt() == [])
            #expect(throws: FileFailure.self) { try folder.read("a") }
        }
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    @Test func `a replaced file has the new content, and can be appended to`() throws {
        let place = TemporaryFolder()
        let folder = run("1", in: place)
        _ = folder.append([1, 2, 3], to: "a.session")
        try folder.replace("a.session", with: [4])
        #expect(try folder.read("a.session") == [4])
        #expect(folder.append([5], to: "a.session") == (1, nil))
        #expect(try folder.read("a.session") == [4, 5])
        #expect(place.names("run-1") == ["a.session", "lock"])
        try folder.sync("a.session")
    }

    @Test func `a run whose files were all removed leaves no folder`() throws {
        let place = TemporaryFolder()
        do {
            let folder = run("1", in: place)
            _ = folder.append([1], to: "a.segment")
            try folder.remove("a.segment")
        }
        #expect(place.names() == [])
    }

    @Test func `a run takes over the files of ended runs, but not those of running processes`() throws {
        let place = TemporaryFolder()
        leave(["a.segment", "b.session", "c.session.draft"], by: "1", in: place)
        let running = run("2", in: place)
        _ = running.append([7], to: "d.segment")
        let next = run("3", in: place)
        #expect(next.adopt() == ["a.segment", "b.session"])
        #expect(try next.read("a.segment") == Array("a.segment".utf8))
        #expect(place.names() == ["run-2", "run-3"])
        #expect(place.names("run-3") == ["a.segment", "b.session", "lock"])
        #expect(running.append([8], to: "d.segment") == (1, nil))
        #expect(try running.read("d.segment") == [7, 8])
        #expect(
            next.adopt() == ["a.segment", "b.session"], "a second call returns the same files"
        )
        #expect(running.adopt() == ["d.segment"])
    }

    /// Another process holds the lock. The end of that process releases it.
    @Test func `the files of a run are taken over after the process that holds its lock was killed`() throws {
        let place = TemporaryFolder()
        try place.write("run-1/a.segment", [1, 2])
        try place.write("run-1/lock", [])
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        holder.arguments = [
            "flock", "--no-fork", place.path + "/run-1/lock", "sh", "-c", "echo held; exec sleep 60",
        ]
        let output = Pipe()
        holder.standardOutput = output
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/flock") else { return }
        try holder.run()
        _ = output.fileHandleForReading.availableData
        let next = run("2", in: place)
        #expect(next.adopt() == [])
        #expect(place.names("run-1") == ["a.segment", "lock"])
        kill(holder.processIdentifier, SIGKILL)
        holder.waitUntilExit()
        #expect(next.adopt() == ["a.segment"])
        #expect(place.names() == ["run-2"])
    }

    @Test func `unfinished folders are removed, and a run without a lock is taken over`() throws {
        let place = TemporaryFolder()
        try place.write("new-1/lock", [])
        try place.makeFolder("new-2")
        try place.write("run-3/a.segment")
        try place.makeFolder("run-4")
        try place.write("run-5/lock", [])
        try place.write("other")
        let folder = run("6", in: place)
        #expect(folder.adopt() == ["a.segment"])
        #expect(place.names() == ["other", "run-6"])
    }

    @Test func `if four runs take over files at the same time, each file goes to one run`() {
        let place = TemporaryFolder()
        for run in 0..<20 {
            leave((0..<5).map { "\(run)-\($0).segment" }, by: "dead\(run)", in: place)
        }
        let results = RunResults()
        let threads = (0..<4).map { number in
            Thread {
                let folder = run("next\(number)", in: place)
                for _ in 0..<5 { results.set(folder.adopt(), of: number) }
                results.finish(keeping: folder)
            }
        }
        for thread in threads { thread.start() }
        #expect(eventually { results.finishedCount == 4 })
        let all = results.names.values.flatMap(\.self)
        #expect(all.count == 100)
        #expect(Set(all).count == 100)
        #expect(place.names().count { $0.hasPrefix("run-dead") || $0.hasPrefix("new-") } == 0)
    }

    private final class RunResults: @unchecked Sendable {
        // `Sendable` is unchecked: all state is accessed only while `lock` is locked.
        private let lock = NSLock()
        private var namesByRun: [Int: [String]] = [:]
        private var folders: [RunFolder] = []
        private var recordedFailures: [FileFailure] = []

        var names: [Int: [String]] { lock.withLock { namesByRun } }
        var finishedCount: Int { lock.withLock { folders.count } }
        func set(_ names: [String], of run: Int) { lock.withLock { namesByRun[run] = names } }
        var failures: [FileFailure] { lock.withLock { recordedFailures } }
        func recordFailure(_ failure: FileFailure?) {
            if let failure { lock.withLock { recordedFailures.append(failure) } }
        }
        func finish(keeping folder: RunFolder) { lock.withLock { folders.append(folder) } }
    }

    @Test func `no file is lost if four threads begin and end many runs at the same time`() {
        let place = TemporaryFolder()
        let results = RunResults()
        for number in 0..<4 {
            Thread {
                for round in 0..<25 {
                    let folder = run("\(number)-\(round)", in: place)
                    let file = "\(number)-\(round).segment"
                    results.recordFailure(folder.append([UInt8(round)], to: file).failure)
                    _ = folder.adopt()
                }
                results.finish(keeping: run("\(number)", in: place))
            }.start()
        }
        #expect(eventually { results.finishedCount == 4 })
        #expect(results.failures == [])
        #expect(run("last", in: place).adopt().count == 100)
    }

    // MARK: Folders that cannot be written

    @Test func `a folder that is removed while in use is created again`() throws {
        let place = TemporaryFolder()
        let folder = run("1", in: place)
        _ = folder.append([1], to: "a.segment")
        try FileManager.default.removeItem(atPath: place.path)
        #expect(folder.append([2], to: "b.segment") == (1, nil))
        #expect(try folder.read("b.segment") == [2])
        #expect(place.names("run-1") == ["b.segment", "lock"])
        let other = run("2", in: place)
        #expect(other.adopt() == [], "the first run still holds its lock")
    }

    @Test func `if the folder's path is a file, the error names the path`() throws {
        let place = TemporaryFolder()
        try Data([1]).write(to: URL(fileURLWithPath: place.path))
        let folder = run("1", in: place)
        let (written, failure) = folder.append([1], to: "a.segment")
        #expect(written == 0)
        #expect(failure?.code == ENOTDIR)
        #expect(failure?.description.contains(place.path) == true)
        #expect(folder.adopt() == [])
        try FileManager.default.removeItem(atPath: place.path)
        #expect(folder.append([1], to: "a.segment") == (1, nil), "the next write tries again")
    }

    @Test(.enabled(if: geteuid() != 0)) func `a write to an unwritable folder fails`() throws {
        let place = TemporaryFolder()
        try place.makeFolder()
        place.setMode(0o500)
        #expect(run("1", in: place).append([1], to: "a.segment").failure?.code == EACCES)
    }

    @Test func `a symbolic link in place of a file is not followed`() throws {
        let place = TemporaryFolder()
        let elsewhere = TemporaryFolder()
        try elsewhere.write("a.segment", [1])
        try elsewhere.write("lock", [])
        let folder = run("1", in: place)
        _ = folder.append([1], to: "own.segment")
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/run-evil", withDestinationPath: elsewhere.path)
        #expect(folder.adopt() == ["own.segment"])
        #expect(elsewhere.names() == ["a.segment", "lock"])
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/run-1/b.segment", withDestinationPath: elsewhere.path + "/a.segment")
        #expect(folder.append([9], to: "b.segment").failure?.code == ELOOP)
        #expect(throws: FileFailure.self) { try folder.read("b.segment") }
        #expect(elsewhere.bytes("a.segment") == [1])
    }

    @Test func `a pipe in place of a file does not block reads and writes`() throws {
        let place = TemporaryFolder()
        let folder = run("1", in: place)
        _ = folder.append([1], to: "a.segment")
        let result = unsafe mkfifo(place.path + "/run-1/b.segment", 0o600)
        #expect(result == 0)
        #expect(folder.append([1], to: "b.segment").failure != nil)
        #expect((try? folder.read("b.segment")) ?? [] == [])
    }

    /// For a writer, the system's limit on the size of a file looks like a disk that is full after that many bytes.
    @Test func `if a full disk accepts only a part of a write, the rest can be written later`() async {
        await #expect(processExitsWith: .success) {
            FileSizeLimit.ignoreSignal()
            let path = NSTemporaryDirectory() + "/full-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: path) }
            let folder = RunFolder(in: path, name: "1")
            guard folder.append([0], to: "a") == (1, nil) else { exit(2) }
            FileSizeLimit.set(1_000)
            let bytes = (0..<2_500).map { UInt8($0 % 251) }
            let (written, failure) = folder.append(bytes, to: "a")
            guard written == 999, failure?.code == EFBIG else { exit(3) }
            guard folder.append(bytes, to: "a").writtenBytes == 0 else { exit(4) }
            FileSizeLimit.set(nil)
            guard folder.append(Array(bytes[999...]), to: "a") == (1_501, nil) else { exit(5) }
            guard let read = try? folder.read("a"), read == [0] + bytes else { exit(6) }
        }
    }
}

private func == (one: (writtenBytes: Int, failure: FileFailure?), other: (Int, FileFailure?)) -> Bool {
    one.writtenBytes == other.0 && one.failure == other.1
}

private enum FileSizeLimit {
    /// Ignores SIGXFSZ, so that a write beyond the limit fails and does not end the process.
    static func ignoreSignal() { _ = signal(SIGXFSZ, SIG_IGN) }

    /// - Parameter bytes: the limit; `nil` is the maximum that the process may have.
    static func set(_ bytes: rlim_t?) {
        #if canImport(Darwin)
            let resource = RLIMIT_FSIZE
        #else
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #endif
        var limit = rlimit()
        unsafe getrlimit(resource, &limit)
        limit.rlim_cur = bytes ?? limit.rlim_max
        unsafe setrlimit(resource, &limit)
    }
}
