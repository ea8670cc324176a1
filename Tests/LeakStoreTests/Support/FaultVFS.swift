import CLeakSQLite
import LeakPlatform

/// A VFS of SQLite with ``FaultyDisk``s. It forwards every call to the system's own VFS. For files in a faulty directory, the
/// ``FaultyDisk`` first decides about the call. Files elsewhere are opened by the system's VFS and not intercepted further.
///
/// So files, locks and shared memory are those of SQLite. Only syncs are skipped, because no real power cut happens.
/// https://www.sqlite.org/vfs.html
enum FaultVFS {
    fileprivate static let disks = Guarded<[String: Disk]>([:])

    fileprivate struct Disk {
        weak var disk: FaultyDisk?
    }

    static func register(_ disk: FaultyDisk) {
        _ = isInstalled
        disks.with { $0[disk.directory.path] = Disk(disk: disk) }
    }

    static func forget(_ path: String) { disks.with { $0[path] = nil } }

    fileprivate static func faultyFile(at path: String) -> (disk: FaultyDisk, name: String)? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        guard let disk = disks.with({ $0[String(path[..<slash])]?.disk }) else { return nil }
        return (disk, String(path[path.index(after: slash)...]))
    }

    /// The VFS that was the default before. SQLite never frees it.
    fileprivate nonisolated(unsafe) static let system: UnsafeMutablePointer<sqlite3_vfs> =
        unsafe sqlite3_vfs_find(
            nil)

    fileprivate nonisolated(unsafe) static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var all = sqlite3_io_methods()
        // Version 2: with shared memory, without memory mapping, because mapped writes would bypass this VFS.
        all.iVersion = 2
        unsafe all.xClose = close
        unsafe all.xRead = read
        unsafe all.xWrite = write
        unsafe all.xTruncate = truncate
        unsafe all.xSync = sync
        unsafe all.xFileSize = fileSize
        unsafe all.xLock = lock
        unsafe all.xUnlock = unlock
        unsafe all.xCheckReservedLock = checkReservedLock
        unsafe all.xFileControl = control
        unsafe all.xSectorSize = sectorSize
        unsafe all.xDeviceCharacteristics = characteristics
        unsafe all.xShmMap = map
        unsafe all.xShmLock = lockMap
        unsafe all.xShmBarrier = barrier
        unsafe all.xShmUnmap = unmap
        unsafe methods.initialize(to: all)
        return unsafe methods
    }()

    /// Installs this VFS as the default VFS, so that the store needs no change. `true` once that is done.
    private static let isInstalled: Bool = {
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        let name = UnsafeMutablePointer<CChar>.allocate(capacity: 7)
        unsafe name.initialize(from: "faulty", count: 7)
        var own = unsafe system.pointee
        unsafe own.zName = UnsafePointer(name)
        unsafe own.pNext = nil
        unsafe own.szOsFile = Int32(FaultFile.realOffset) + system.pointee.szOsFile
        unsafe own.xOpen = open
        unsafe own.xDelete = delete
        unsafe own.xAccess = access
        unsafe vfs.initialize(to: own)
        return unsafe sqlite3_vfs_register(vfs, 1) == SQLITE_OK
    }()
}

/// The object in SQLite's memory for a file. That memory holds our methods, this object, and the system's file, in this
/// order.
private final class FaultFile {
    static let objectOffset = unsafe MemoryLayout<sqlite3_file>.stride
    static let realOffset = unsafe objectOffset + MemoryLayout<UnsafeRawPointer>.stride

    let disk: FaultyDisk
    let name: String
    /// True if the first sync also makes the names in the directory durable, as the system's VFS does for logs and journals.
    var syncsNames: Bool

    init(disk: FaultyDisk, name: String, syncsNames: Bool) {
        self.disk = disk
        self.name = name
        self.syncsNames = syncsNames
    }
}

private typealias File = UnsafeMutablePointer<sqlite3_file>

/// Returns the object that this VFS stores in SQLite's memory for a file.
private func object(_ file: File?) -> FaultFile {
    let start = unsafe UnsafeRawPointer(file!) + FaultFile.objectOffset
    return unsafe Unmanaged<FaultFile>.fromOpaque(start.load(as: UnsafeRawPointer.self)).takeUnretainedValue()
}

/// Returns the system's file, to which this VFS forwards calls, and its methods.
private func real(_ file: File?) -> (file: File, methods: sqlite3_io_methods) {
    let file = unsafe (UnsafeMutableRawPointer(file!) + FaultFile.realOffset).assumingMemoryBound(
        to: sqlite3_file.self)
    return unsafe (file, file.pointee.pMethods.pointee)
}

private func faultCode(_ file: File?, _ operation: FaultyDisk.Operation) -> Int32? {
    let object = unsafe object(file)
    return object.disk.fault(on: operation, of: object.name)?.code
}

// MARK: Operations on the directory

private func open(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: sqlite3_filename?, _ file: File?, _ flags: Int32,
    _ out: UnsafeMutablePointer<Int32>?
) -> Int32 {
    let system = unsafe FaultVFS.system
    guard let name = unsafe name, let place = unsafe FaultVFS.faultyFile(at: String(cString: name)) else {
        return unsafe system.pointee.xOpen(system, name, file, flags, out)
    }
    unsafe file!.pointee.pMethods = nil
    if let fault = place.disk.fault(on: .open, of: place.name) { return fault.code }
    let memory = unsafe UnsafeMutableRawPointer(file!)
    let inner = unsafe (memory + FaultFile.realOffset).assumingMemoryBound(to: sqlite3_file.self)
    let code = unsafe system.pointee.xOpen(system, name, inner, flags, out)
    guard code == SQLITE_OK else {
        if unsafe inner.pointee.pMethods != nil { _ = unsafe inner.pointee.pMethods.pointee.xClose(inner) }
        return code
    }
    place.disk.record { $0.touch(place.name) }
    let kinds = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL
    let object = FaultFile(
        disk: place.disk, name: place.name,
        syncsNames: flags & SQLITE_OPEN_CREATE != 0 && flags & kinds != 0)
    unsafe (memory + FaultFile.objectOffset).storeBytes(
        of: Unmanaged.passRetained(object).toOpaque(), as: UnsafeMutableRawPointer.self)
    unsafe file!.pointee.pMethods = UnsafePointer(FaultVFS.methods)
    return SQLITE_OK
}

private func delete(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ syncsDirectory: Int32
) -> Int32 {
    let system = unsafe FaultVFS.system
    guard let name = unsafe name, let place = unsafe FaultVFS.faultyFile(at: String(cString: name)) else {
        return unsafe system.pointee.xDelete(system, name, syncsDirectory)
    }
    if let fault = place.disk.fault(on: .delete, of: place.name) { return fault.code }
    let code = unsafe system.pointee.xDelete(system, name, 0)
    guard code == SQLITE_OK else { return code }
    place.disk.record { image in
        image.remove(place.name)
        if syncsDirectory != 0 { image.syncNames() }
    }
    return code
}

private func access(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ flags: Int32,
    _ out: UnsafeMutablePointer<Int32>?
) -> Int32 {
    let system = unsafe FaultVFS.system
    if let name = unsafe name, let place = unsafe FaultVFS.faultyFile(at: String(cString: name)),
        let fault = place.disk.fault(on: .access, of: place.name)
    {
        return fault.code
    }
    return unsafe system.pointee.xAccess(system, name, flags, out)
}

// MARK: Operations on a file

private func close(_ file: File?) -> Int32 {
    let code = unsafe real(file).methods.xClose(real(file).file)
    let start = unsafe UnsafeRawPointer(file!) + FaultFile.objectOffset
    unsafe Unmanaged<FaultFile>.fromOpaque(start.load(as: UnsafeRawPointer.self)).release()
    unsafe file!.pointee.pMethods = nil
    return code
}

private func read(
    _ file: File?, _ bytes: UnsafeMutableRawPointer?, _ count: Int32, _ offset: sqlite3_int64
) -> Int32 {
    unsafe faultCode(file, .read) ?? real(file).methods.xRead(real(file).file, bytes, count, offset)
}

private func write(_ file: File?, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: sqlite3_int64)
    -> Int32
{
    let object = unsafe object(file)
    let fault = object.disk.fault(on: .write, of: object.name)
    if let fault, !fault.isHalfway { return fault.code }
    let taken = fault == nil ? count : count / 2
    let code = unsafe real(file).methods.xWrite(real(file).file, bytes, taken, offset)
    guard code == SQLITE_OK else { return code }
    let written = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(taken)))
    object.disk.record { $0.write(written, to: object.name, at: Int(offset)) }
    return fault?.code ?? SQLITE_OK
}

private func truncate(_ file: File?, _ size: sqlite3_int64) -> Int32 {
    let object = unsafe object(file)
    if let fault = object.disk.fault(on: .truncate, of: object.name) { return fault.code }
    let code = unsafe real(file).methods.xTruncate(real(file).file, size)
    if code == SQLITE_OK { object.disk.record { $0.truncate(object.name, to: Int(size)) } }
    return code
}

private func sync(_ file: File?, _ flags: Int32) -> Int32 {
    let object = unsafe object(file)
    if let fault = object.disk.fault(on: .sync, of: object.name) { return fault.code }
    object.disk.record { image in
        image.sync(object.name)
        if object.syncsNames { image.syncNames() }
    }
    object.syncsNames = false
    return SQLITE_OK
}

private func fileSize(_ file: File?, _ out: UnsafeMutablePointer<sqlite3_int64>?) -> Int32 {
    unsafe faultCode(file, .size) ?? real(file).methods.xFileSize(real(file).file, out)
}

private func lock(_ file: File?, _ kind: Int32) -> Int32 {
    unsafe faultCode(file, .lock) ?? real(file).methods.xLock(real(file).file, kind)
}

private func map(
    _ file: File?, _ region: Int32, _ size: Int32, _ extends: Int32,
    _ out: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
    unsafe faultCode(file, .map) ?? real(file).methods.xShmMap(real(file).file, region, size, extends, out)
}

private func lockMap(_ file: File?, _ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    // Releasing a lock never fails.
    let isUnlock = flags & SQLITE_SHM_UNLOCK != 0
    return unsafe (isUnlock ? nil : faultCode(file, .lockMap))
        ?? real(file).methods.xShmLock(real(file).file, offset, count, flags)
}

// MARK: Operations that are forwarded without faults

private func unlock(_ file: File?, _ kind: Int32) -> Int32 {
    unsafe real(file).methods.xUnlock(real(file).file, kind)
}

private func checkReservedLock(_ file: File?, _ out: UnsafeMutablePointer<Int32>?) -> Int32 {
    unsafe real(file).methods.xCheckReservedLock(real(file).file, out)
}

private func control(_ file: File?, _ what: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    unsafe real(file).methods.xFileControl(real(file).file, what, argument)
}

private func sectorSize(_ file: File?) -> Int32 { unsafe real(file).methods.xSectorSize(real(file).file) }

private func characteristics(_ file: File?) -> Int32 {
    unsafe real(file).methods.xDeviceCharacteristics(real(file).file)
}

private func barrier(_ file: File?) { unsafe real(file).methods.xShmBarrier(real(file).file) }

private func unmap(_ file: File?, _ deletes: Int32) -> Int32 {
    unsafe real(file).methods.xShmUnmap(real(file).file, deletes)
}
