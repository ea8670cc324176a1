#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
@testable import LeakStore

/// A directory for one test, deleted with its files when the test ends.
final class TemporaryDirectory: Sendable {
    let path: String

    /// - Parameter isInMemory: `true` for a directory in memory, where syncs take no time. For tests that sync often but
    ///   test something else.
    init(isInMemory: Bool = false) {
        let memory = "/dev/shm"
        let parent = unsafe isInMemory && access(memory, W_OK) == 0 ? memory : "/tmp"
        var template = Array("\(parent)/leakstore-XXXXXX".utf8CString)
        unsafe precondition(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in names { unsafe unlink(path + "/" + name) }
        unsafe rmdir(path)
    }

    private var names: [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            names.append(
                unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    /// Returns every file of the directory, by name.
    func files() -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in names where !name.hasPrefix(".") { files[name] = read(name) }
        return files
    }

    func read(_ name: String) -> [UInt8] {
        let descriptor = unsafe open(path + "/" + name, O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = unsafe max(pread(descriptor, buffer.baseAddress, size, 0), 0)
        }
    }

    var database: String { path + "/leaks.sqlite" }

    func store(
        exclusive: Bool = false, seed: UInt64 = 7, limits: StoreLimits = StoreLimits(),
        clock: ClockRule = .unguarded, retention: RetentionRule = RetentionRule()
    ) throws -> SQLiteStore {
        try SQLiteStore(
            path: database, exclusive: exclusive, seed: seed, limits: limits, clock: clock,
            retention: retention)
    }

    /// Runs a statement in the database, without a store.
    func execute(_ sql: String) throws {
        try SQLiteConnection(path: database, access: .readWrite).execute(sql)
    }

    /// Returns the number of rows of a table.
    func rowCount(of table: String) throws -> Int {
        let connection = try SQLiteConnection(path: database, access: .readOnly)
        let select = try connection.statement(composed: "select count(*) from \(table)")
        defer { select.reset() }
        return try select.step() ? select.int(0) : 0
    }

    func write(_ bytes: [UInt8], to name: String) {
        let descriptor = unsafe open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
        close(descriptor)
    }
}
