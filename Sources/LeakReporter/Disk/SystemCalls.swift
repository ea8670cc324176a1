// System calls for files. The queue makes all of its system calls in this file.

import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension FileFailure {
    /// Creates a failure from `errno`.
    init(_ call: String, _ path: String) {
        self.init(call: call, code: errno, path: path)
    }

    static func message(ofErrorCode code: Int32) -> String {
        var bytes = [CChar](repeating: 0, count: 128)
        // `strerror` is not thread-safe.
        guard unsafe strerror_r(code, &bytes, bytes.count - 1) == 0 else { return "errno \(code)" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// `true` if the file or folder does not exist.
    var isMissing: Bool { code == ENOENT }
    /// `true` if another process holds the lock.
    var isLocked: Bool { code == EWOULDBLOCK }
}

/// A file descriptor with a single owner, closed on deinitialization.
struct FileDescriptor: ~Copyable {
    private let number: Int32
    private let isForLock: Bool

    enum Access {
        /// Writes append to the file. If the file does not exist, it is created for this user only.
        case appending
        case reading
        /// For ``lock(path:)``. Child processes created with `fork` close their copy.
        case locking
        /// Like ``locking``, but the file is created if it does not exist.
        case lockingOrCreating
        case folder
    }

    init(_ path: String, _ access: Access) throws(FileFailure) {
        let flags =
            switch access {
            case .appending: O_WRONLY | O_APPEND | O_CREAT
            case .reading: O_RDONLY
            case .locking: O_RDWR
            case .lockingOrCreating: O_RDWR | O_APPEND | O_CREAT
            case .folder: O_RDONLY | O_DIRECTORY
            }
        // Symbolic links are not followed, and a pipe instead of a file does not block.
        func openDescriptor() throws(FileFailure) -> Int32 {
            let number = retrying { unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600) }
            guard number >= 0 else { throw FileFailure("open", path) }
            return try Self.moveAboveStandardStreams(number, path)
        }
        isForLock = access == .locking || access == .lockingOrCreating
        // A lock of `flock(2)` is held until the last copy of the descriptor is closed, so a child process would hold the lock of
        // its parent after the end of the parent.
        number = try isForLock ? ForkedChildren.open(openDescriptor) : openDescriptor()
    }

    /// Moves a descriptor above the numbers 0 to 2 of the standard streams. If a process has closed standard error, the next
    /// opened file gets the number 2, and texts for standard error would be written to that file.
    private static func moveAboveStandardStreams(_ number: Int32, _ path: String) throws(FileFailure)
        -> Int32
    {
        guard number <= STDERR_FILENO else { return number }
        let duplicate = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        let failure = FileFailure("fcntl", path)
        close(number)
        guard duplicate >= 0 else { throw failure }
        return duplicate
    }

    deinit {
        if isForLock { ForkedChildren.close(number) } else { close(number) }
    }

    /// - Returns: the number of bytes written before a failure.
    borrowing func write(_ bytes: [UInt8], path: String) -> (writtenBytes: Int, failure: FileFailure?) {
        let written = writeAll(bytes, to: number)
        return (written, written < bytes.count ? FileFailure("write", path) : nil)
    }

    /// Returns the content. Reading stops once at least `limit` bytes were read.
    borrowing func readAll(limit: Int, path: String) throws(FileFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count < limit {
            #if canImport(Darwin)
                let count = retrying { unsafe Darwin.read(number, &chunk, chunk.count) }
            #else
                let count = retrying { unsafe Glibc.read(number, &chunk, chunk.count) }
            #endif
            guard count >= 0 else { throw FileFailure("read", path) }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    /// Returns the size of the file in bytes.
    borrowing func size() -> Int { max(Int(lseek(number, 0, SEEK_END)), 0) }

    borrowing func truncate(to length: Int, path: String) throws(FileFailure) {
        guard retrying({ ftruncate(number, off_t(length)) }) == 0 else {
            throw FileFailure("ftruncate", path)
        }
    }

    /// Flushes the file. On Linux the bytes are on the disk afterwards; on Apple's systems they have been sent to it. Only
    /// `F_FULLFSYNC` empties the cache of the disk itself. On a phone it would take tens of milliseconds, and protect only
    /// against a power cut, which the battery prevents.
    borrowing func sync(path: String) throws(FileFailure) {
        #if canImport(Darwin)
            let code = retrying { fsync(number) }
        #else
            let code = retrying { fdatasync(number) }
        #endif
        guard code == 0 else { throw FileFailure("sync", path) }
    }

    /// Locks the file until the descriptor is closed, by its owner or by the end of the process.
    ///
    /// - Throws: without waiting if another process holds the lock, see ``FileFailure/isLocked``.
    borrowing func lock(path: String) throws(FileFailure) {
        guard retrying({ flock(number, LOCK_EX | LOCK_NB) }) == 0 else { throw FileFailure("flock", path) }
    }
}

/// The handling of child processes created with `fork`: descriptors that the child must close, and locks that must be free when the
/// child is created.
enum ForkedChildren {
    private static let capacity = 256
    // The table of descriptors and the mutex are pointers, because code in a child process may neither allocate memory nor wait for
    // a thread that does not exist there.
    nonisolated(unsafe) private static let descriptors = {
        let descriptors = UnsafeMutablePointer<Int32>.allocate(capacity: capacity)
        unsafe descriptors.initialize(repeating: -1, count: capacity)
        return unsafe descriptors
    }()
    nonisolated(unsafe) private static let mutex = {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        return unsafe mutex
    }()
    private static let isRegistered = {
        // The table is allocated here, because a child process may not allocate memory.
        _ = unsafe descriptors
        return
            pthread_atfork(
                { unsafe pthread_mutex_lock(ForkedChildren.mutex) },
                { unsafe pthread_mutex_unlock(ForkedChildren.mutex) },
                {
                    for index in 0..<ForkedChildren.capacity
                    where unsafe ForkedChildren.descriptors[index] >= 0 {
                        _ = unsafe systemClose(ForkedChildren.descriptors[index])
                        unsafe ForkedChildren.descriptors[index] = -1
                    }
                    unsafe ForkedChildren.hasOverflowed = false
                    unsafe pthread_mutex_unlock(ForkedChildren.mutex)
                }) == 0
    }()

    /// Runs `work` while no process can be forked, so that a lock taken by `work` is not held forever in a child process. `work`
    /// must be short and must neither open nor close descriptors for locks, nor release an object that does.
    static func withForksBlocked<Result: ~Copyable, Failure: Error>(
        during work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        _ = isRegistered
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try work()
    }

    /// Opens a descriptor, and registers it so that child processes close their copy of it. No process can be forked in
    /// between, because a fork waits for the lock. If the table of descriptors is full, child processes keep their copy, as on
    /// systems that accept no fork handlers.
    static func open(_ openFile: () throws(FileFailure) -> Int32) throws(FileFailure) -> Int32 {
        try withForksBlocked { () throws(FileFailure) in
            let number = try openFile()
            let freeIndex = (0..<capacity).first { unsafe descriptors[$0] < 0 }
            if let freeIndex { unsafe descriptors[freeIndex] = number } else { unsafe hasOverflowed = true }
            return number
        }
    }

    /// Closes a descriptor, unless this is a child process in which it is already closed: its number may belong to another file
    /// there.
    static func close(_ number: Int32) {
        withForksBlocked {
            let index = (0..<capacity).first { unsafe descriptors[$0] == number }
            if let index { unsafe descriptors[index] = -1 }
            if unsafe index != nil || hasOverflowed { _ = systemClose(number) }
        }
    }

    /// `true` if this process has had more descriptors for locks at a time than the table has room for.
    nonisolated(unsafe) private static var hasOverflowed = false
}

private func systemClose(_ number: Int32) -> Int32 { close(number) }

enum FileSystem {
    static func makeFolder(_ path: String) throws(FileFailure) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileFailure("mkdir", path) }
    }

    /// Creates the folder and missing folders above it.
    static func makeFolders(_ path: String) throws(FileFailure) {
        var createdPath = ""
        var firstFailure: FileFailure?
        let elements = path.split(separator: "/")
        for (index, element) in elements.enumerated() {
            createdPath += "/" + element
            do throws(FileFailure) {
                try makeFolder(createdPath)
                firstFailure = nil
            } catch {
                // The parent folder may exist without being writable, as `/home` is.
                firstFailure = firstFailure ?? error
                guard index == elements.count - 1 else { continue }
                // For folders below that folder, the system reports that they are missing, which is not the actual reason.
                throw error.isMissing ? firstFailure ?? error : error
            }
        }
    }

    static func removeFolder(_ path: String) { unsafe rmdir(path) }

    static func rename(_ path: String, to other: String) throws(FileFailure) {
        #if canImport(Darwin)
            let code = unsafe Darwin.rename(path, other)
        #else
            let code = unsafe Glibc.rename(path, other)
        #endif
        guard code == 0 else { throw FileFailure("rename", path) }
    }

    static func remove(_ path: String) throws(FileFailure) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw FileFailure("unlink", path) }
    }

    /// - Returns: an empty array if the folder does not exist or cannot be read.
    static func names(in path: String) -> [String] {
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Syncs a folder, so that the creation and removal of its files survive a power cut.
    static func syncFolder(_ path: String) throws(FileFailure) {
        try FileDescriptor(path, .folder).sync(path: path)
    }
}

private func retrying<Result: FixedWidthInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        guard result == -1, errno == EINTR else { return result }
    }
}
