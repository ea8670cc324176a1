internal import CSQLite
internal import Threads

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A virtual file system of SQLite that writes the log of a transaction in large pieces.
///
/// SQLite writes each page of the log with two calls, one for the 24 bytes of the frame's header and one for the page. A
/// commit of some hundred pages therefore makes twice as many system calls, and each header that begins a new block of the
/// file makes the kernel clear the rest of the block first. This file system joins writes that follow each other.
///
/// Nothing else changes: a commit record, a sync, a read, a truncation and every write at another place write the joined
/// bytes first, so that other connections never learn of a frame that is not in the file. Files other than the log are
/// those of SQLite's own file system.
///
/// Format of frames: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
enum BufferedLog {
    /// The file systems that were registered, by the default one that each of them stands before: one, but for tests that
    /// replace the default.
    private static let registered = Guarded<[UInt: String]>([:])

    /// The name of the file system to open a connection with; `nil` where it could not be registered.
    static var fileSystem: String? {
        guard let standard = unsafe sqlite3_vfs_find(nil) else { return nil }
        return registered.with { registered in
            let key = UInt(bitPattern: standard)
            if let name = registered[key] { return name }
            let name = "leak-collector-log-\(registered.count)"
            guard unsafe register(name, before: standard) else { return nil }
            registered[key] = name
            return name
        }
    }

    /// Bytes that are joined at most: 31 frames of 4 KiB. SQLite's own file system writes less than 128 KiB per call
    /// (`seekAndWriteFd` in os_unix.c), and takes a longer write for a full disk.
    private static let bufferBytes = 31 * (24 + 4096)
    private static let frameHeaderBytes: Int32 = 24

    /// The log as SQLite holds it: this, and behind it the file of SQLite's own file system.
    @unsafe
    private struct LogFile {
        var base: sqlite3_file
        var buffer: UnsafeMutableRawPointer
        /// Place in the file of the first byte that waits.
        var start: Int64
        /// Bytes that wait.
        var count: Int
        /// True between the header of a commit record and its page.
        var isCommit: Bool
    }

    private static let headerBytes = unsafe (MemoryLayout<LogFile>.size + 15) & ~15

    private static func register(_ name: String, before standard: UnsafeMutablePointer<sqlite3_vfs>) -> Bool {
        // SQLite keeps it as long as the process lives.
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe own.initialize(to: standard.pointee)
        unsafe own.pointee.pNext = nil
        unsafe own.pointee.szOsFile += Int32(headerBytes)
        unsafe own.pointee.zName = unsafe UnsafePointer(strdup(name))
        // Only `xOpen` reads it, which is called with the file system it belongs to.
        unsafe own.pointee.pAppData = UnsafeMutableRawPointer(standard)
        unsafe own.pointee.xOpen = { own, path, file, flags, outFlags in
            unsafe BufferedLog.open(
                own!.pointee.pAppData.assumingMemoryBound(to: sqlite3_vfs.self), path, file, flags, outFlags)
        }
        return unsafe sqlite3_vfs_register(own, 0) == SQLITE_OK
    }

    // Written here, read by SQLite alone.
    nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe methods.initialize(to: sqlite3_io_methods())
        unsafe methods.pointee.iVersion = 1
        unsafe methods.pointee.xClose = { unsafe BufferedLog.close($0) }
        unsafe methods.pointee.xRead = { file, into, count, offset in
            unsafe BufferedLog.flushed(file) {
                unsafe $0.pointee.pMethods.pointee.xRead($0, into, count, offset)
            }
        }
        unsafe methods.pointee.xWrite = { unsafe BufferedLog.write($0, $1, $2, $3) }
        unsafe methods.pointee.xTruncate = { file, size in
            unsafe BufferedLog.flushed(file) { unsafe $0.pointee.pMethods.pointee.xTruncate($0, size) }
        }
        unsafe methods.pointee.xSync = { file, flags in
            unsafe BufferedLog.flushed(file) { unsafe $0.pointee.pMethods.pointee.xSync($0, flags) }
        }
        unsafe methods.pointee.xFileSize = { file, size in
            unsafe BufferedLog.flushed(file) { unsafe $0.pointee.pMethods.pointee.xFileSize($0, size) }
        }
        unsafe methods.pointee.xLock = { file, level in
            unsafe BufferedLog.flushed(file) { unsafe $0.pointee.pMethods.pointee.xLock($0, level) }
        }
        unsafe methods.pointee.xUnlock = { file, level in
            unsafe BufferedLog.flushed(file) { unsafe $0.pointee.pMethods.pointee.xUnlock($0, level) }
        }
        unsafe methods.pointee.xCheckReservedLock = { file, out in
            unsafe BufferedLog.flushed(file) {
                unsafe $0.pointee.pMethods.pointee.xCheckReservedLock($0, out)
            }
        }
        unsafe methods.pointee.xFileControl = { file, operation, argument in
            unsafe BufferedLog.flushed(file) {
                unsafe $0.pointee.pMethods.pointee.xFileControl($0, operation, argument)
            }
        }
        unsafe methods.pointee.xSectorSize = { file in
            let real = unsafe BufferedLog.real(file)
            return unsafe real.pointee.pMethods.pointee.xSectorSize(real)
        }
        unsafe methods.pointee.xDeviceCharacteristics = { file in
            let real = unsafe BufferedLog.real(file)
            return unsafe real.pointee.pMethods.pointee.xDeviceCharacteristics(real)
        }
        return unsafe UnsafePointer(methods)
    }()

    private static func open(
        _ standard: UnsafeMutablePointer<sqlite3_vfs>, _ path: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let file = unsafe file, let open = unsafe standard.pointee.xOpen else { return SQLITE_CANTOPEN }
        guard flags & SQLITE_OPEN_WAL != 0 else { return unsafe open(standard, path, file, flags, outFlags) }
        unsafe file.pointee.pMethods = nil
        let real = unsafe real(file)
        let code = unsafe open(standard, path, real, flags, outFlags)
        guard code == SQLITE_OK else { return code }
        let log = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: LogFile.self)
        unsafe log.initialize(
            to: LogFile(
                base: sqlite3_file(pMethods: methods),
                buffer: .allocate(byteCount: bufferBytes, alignment: 4096), start: 0, count: 0,
                isCommit: false))
        return SQLITE_OK
    }

    private static func close(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
        guard let file = unsafe file else { return SQLITE_OK }
        let log = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: LogFile.self)
        // Bytes that wait belong to a transaction that was not committed.
        unsafe log.pointee.buffer.deallocate()
        let real = unsafe real(file)
        guard let methods = unsafe real.pointee.pMethods else { return SQLITE_OK }
        return unsafe methods.pointee.xClose(real)
    }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32,
        _ offset: Int64
    ) -> Int32 {
        guard let file = unsafe file, let bytes = unsafe bytes else { return SQLITE_MISUSE }
        let log = unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: LogFile.self)
        let isHeader = count == frameHeaderBytes
        // Bytes 4 to 7 of a header: pages of the database behind a commit, else 0.
        let endsCommit = unsafe !isHeader && log.pointee.isCommit
        unsafe log.pointee.isCommit = isHeader && bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0
        let follows = unsafe offset == log.pointee.start + Int64(log.pointee.count)
        let fits = unsafe log.pointee.count + Int(count) <= bufferBytes
        if !follows || !fits {
            let code = unsafe flush(log)
            guard code == SQLITE_OK else { return code }
        }
        guard follows, Int(count) <= bufferBytes else {
            let real = unsafe real(file)
            unsafe log.pointee.start = offset + Int64(count)
            return unsafe real.pointee.pMethods.pointee.xWrite(real, bytes, count, offset)
        }
        unsafe log.pointee.buffer.advanced(by: log.pointee.count).copyMemory(
            from: bytes, byteCount: Int(count))
        unsafe log.pointee.count += Int(count)
        return endsCommit ? unsafe flush(log) : SQLITE_OK
    }

    /// Writes the bytes that wait. Those that could not be written are forgotten: SQLite takes the transaction back.
    private static func flush(_ log: UnsafeMutablePointer<LogFile>) -> Int32 {
        let (start, count) = unsafe (log.pointee.start, log.pointee.count)
        guard count > 0 else { return SQLITE_OK }
        let real = unsafe real(UnsafeMutableRawPointer(log).assumingMemoryBound(to: sqlite3_file.self))
        unsafe log.pointee.start = start + Int64(count)
        unsafe log.pointee.count = 0
        let code = unsafe real.pointee.pMethods.pointee.xWrite(real, log.pointee.buffer, Int32(count), start)
        // No write follows this one: the next goes to the file at once.
        if code != SQLITE_OK { unsafe log.pointee.start = -1 }
        return code
    }

    private static func flushed(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ body: (UnsafeMutablePointer<sqlite3_file>) -> Int32
    ) -> Int32 {
        guard let file = unsafe file else { return SQLITE_MISUSE }
        let code = unsafe flush(UnsafeMutableRawPointer(file).assumingMemoryBound(to: LogFile.self))
        guard code == SQLITE_OK else { return code }
        return unsafe body(real(file))
    }

    /// The file of SQLite's own file system.
    private static func real(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> UnsafeMutablePointer<sqlite3_file> {
        unsafe UnsafeMutableRawPointer(file!).advanced(by: headerBytes).assumingMemoryBound(
            to: sqlite3_file.self)
    }
}
