internal import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What people read: results on standard output, failures on standard error, each line written at once, so that a pipe
/// gets it before the program goes on.
enum Output {
    static func line(_ text: String) { write(text, to: 1) }

    static func error(_ text: String) { write(text, to: 2) }

    /// - Parameter overwrites: for a terminal, whose last line this one takes the place of.
    static func error(_ text: String, overwrites: Bool) {
        // ECMA-48: to the first column, and delete what is there.
        if overwrites { write(bytes: "\r\u{1B}[K" + text, to: 2) } else { error(text) }
    }

    /// Adds to the end of a file, which is made where it is missing.
    ///
    /// - Returns: whether it could be opened.
    static func append(_ text: String, toFile path: String) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { return false }
        write(bytes: text, to: file)
        close(file)
        return true
    }

    private static func write(_ text: String, to descriptor: Int32) {
        write(bytes: text.hasSuffix("\n") ? text : text + "\n", to: descriptor)
    }

    private static func write(bytes text: String, to descriptor: Int32) {
        _ = writeAll(text.utf8, to: descriptor)
    }
}
