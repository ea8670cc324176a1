#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file that holds one secret, as container engines mount it.
enum SecretFile {
    /// Maximum bytes of a file, more than any secret or address has.
    static let maxBytes = 64 * 1024

    /// Reads the secret, without the line ends after it.
    ///
    /// - Parameter variable: the variable that names the file, for the message.
    /// - Throws: ``SettingError`` for a file that cannot be read, is empty, too large or not UTF-8.
    static func contents(of path: String, variable: String) throws(SettingError) -> String {
        func settingError(_ problem: String) -> SettingError {
            SettingError(source: variable, problem: "names \(path), which \(problem)")
        }
        func unreadable() -> SettingError {
            settingError("cannot be read: \(unsafe String(cString: strerror(errno))) (as uid \(geteuid()))")
        }
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable() }
        defer { close(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: maxBytes + 1)
        while bytes.count <= maxBytes {
            let count = unsafe read(file, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable() }
            guard count > 0 else { break }
            bytes += block[..<count]
        }
        guard bytes.count <= maxBytes else { throw settingError("has more than \(maxBytes) bytes") }
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
            bytes.removeLast()
        }
        guard !bytes.isEmpty else { throw settingError("is empty") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw settingError("is not text in UTF-8")
        }
        return text
    }
}
