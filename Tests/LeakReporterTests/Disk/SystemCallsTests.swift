import Foundation
import Testing

@testable import LeakReporter

@Suite struct SystemCallsTests {
    @Test func `the error of a failed system call names the call, the path and the reason`() throws {
        let place = TemporaryFolder()
        try place.makeFolder()
        do throws(FileFailure) {
            _ = try FileDescriptor(place.path + "/none", .reading)
            Issue.record("there is no such file")
        } catch {
            #expect(error.isMissing && !error.isLocked)
            #expect(error.description == "open \(place.path)/none: No such file or directory")
        }
    }

    @Test func `a file lock has one holder, until its descriptor is closed`() throws {
        let place = TemporaryFolder()
        try place.makeFolder()
        let path = place.path + "/lock"
        _ = try FileDescriptor(path, .appending)
        do {
            let first = try FileDescriptor(path, .locking)
            try first.lock(path: path)
            let second = try FileDescriptor(path, .locking)
            do throws(FileFailure) {
                try second.lock(path: path)
                Issue.record("two descriptors hold the same lock")
            } catch {
                #expect(error.isLocked)
            }
        }
        try FileDescriptor(path, .locking).lock(path: path)
    }

    @Test func `reading a long file stops soon after the limit`() throws {
        let place = TemporaryFolder()
        try place.makeFolder()
        let path = place.path + "/long"
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        let (written, failure) = try FileDescriptor(path, .appending).write(bytes, path: path)
        #expect(written == bytes.count && failure == nil)
        #expect(try FileDescriptor(path, .reading).readAll(limit: .max, path: path) == bytes)
        let some = try FileDescriptor(path, .reading).readAll(limit: 70_000, path: path)
        #expect(some.count >= 70_000 && some.count < 200_000 && some[...] == bytes.prefix(some.count))
        #expect(throws: FileFailure.self) {
            try FileDescriptor(place.path, .reading).readAll(limit: 10, path: place.path)
        }
        #expect(throws: FileFailure.self) { _ = try FileDescriptor(path, .folder) }
    }

    @Test func `folders are created with their parents, and existing folders are accepted`() throws {
        let place = TemporaryFolder()
        try place.makeFolder()
        try FileSystem.makeFolders(place.path + "/a/b/c")
        try FileSystem.makeFolders(place.path + "/a/b/c")
        #expect(FileSystem.names(in: place.path + "/a") == ["b"])
        #expect(FileSystem.names(in: place.path + "/none") == [])
        try FileSystem.syncFolder(place.path)
    }

    #if os(Linux)
        @Test(arguments: ["", "/"])
        func `the error for a missing folder names the topmost folder that cannot be made`(
            end: String
        ) {
            do throws(FileFailure) {
                try FileSystem.makeFolders("/sys/leak-reporter/app/queue" + end)
                Issue.record("no folder can be made there")
            } catch {
                #expect(error.path == "/sys/leak-reporter")
                #expect(!error.isMissing, "\(error)")
            }
        }
    #endif

    @Test func `file names with any characters are listed`() throws {
        let place = TemporaryFolder()
        try place.makeFolder()
        for name in ["ä🧵", ".hidden", String(repeating: "n", count: 255)] {
            _ = try FileDescriptor(place.path + "/" + name, .appending)
        }
        #expect(FileSystem.names(in: place.path) == [".hidden", String(repeating: "n", count: 255), "ä🧵"])
    }
}
