internal import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Output for people: results on standard output, failures on standard error. Each line is written at once, so that a
/// pipe gets it before the program goes on.
enum Output {
    static func line(_ text: String) { write(text, to: 1) }

    static func error(_ text: String) { write(text, to: 2) }

    /// Writes a line to standard error, or replaces the last line of a terminal.
    ///
    /// - Parameter overwrites: true to replace the last line; the line then has no line end.
    static func error(_ text: String, overwrites: Bool) {
        // ECMA-48: moves to the first column and erases the line.
        if overwrites { write(bytes: "\r\u{1B}[K" + text, to: 2) } else { error(text) }
    }

    /// Appends to a file, which is created if it is missing.
    ///
    /// - Returns: `true` if the file could be opened.
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
