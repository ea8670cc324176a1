import Foundation

/// A progress line that is overwritten in place, only on a terminal.
enum Progress {
    private static let isTerminal = isatty(2) == 1

    static func show(_ text: String) {
        guard isTerminal else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    static func clear() { show("") }
}
