#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
@testable import LeakStore

/// A directory for one test, deleted with everything in it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/leakstore-XXXXXX".utf8CString)
        unsafe precondition(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        guard let directory = unsafe opendir(path) else { return }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            unsafe unlink(path + "/" + name)
        }
        unsafe closedir(directory)
        unsafe rmdir(path)
    }

    var database: String { path + "/leaks.sqlite" }

    func store(
        exclusive: Bool = false, seed: UInt64 = 7, limits: StoreLimits = StoreLimits()
    ) throws -> SQLiteStore {
        try SQLiteStore(path: database, exclusive: exclusive, seed: seed, limits: limits)
    }

    func write(_ bytes: [UInt8], to name: String) {
        let descriptor = unsafe open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
        close(descriptor)
    }
}
