internal import LeakMessage

/// A recognizer of the line before a thread's frames, in a text with the stacks of several threads.
///
/// Apple: https://developer.apple.com/documentation/xcode/examining-the-fields-in-a-crash-report#Backtraces.
enum ThreadHeadingRecognizer {
    /// Returns `true` for `Thread 5:`, `Thread 5 name: loader`, `Thread 5 Crashed:: Dispatch queue: loader` and
    /// `thread #5, name = 'loader'`.
    static func isHeading(_ line: Text) -> Bool {
        if line.trimmed.starts(with: "thread #") { return true }
        guard let textAfter = textAfterNumber(line) else { return isOfCrashedOrSelectedThread(line) }
        return textAfter.first == UInt8(ascii: ":") || textAfter.starts(with: " name:")
            || textAfter.starts(with: " Queue") || isOfCrashedOrSelectedThread(line)
    }

    /// Returns `true` for the heading of the thread that crashed, or that a debugger selected: `Thread 5 Crashed:`,
    /// `Thread 5 "loader" crashed:`, and `* thread #5, queue = 'loader'`. The line `Thread 5 crashed with ARM Thread State (64-bit):`
    /// introduces registers and is not a heading.
    static func isOfCrashedOrSelectedThread(_ line: Text) -> Bool {
        if line.trimmed.starts(with: "* thread #") { return true }
        guard let textAfter = textAfterNumber(line), let words = textAfter.dropping(" ") else { return false }
        for word: StaticString in ["Crashed", "crashed"] {
            guard let range = words.firstRange(of: word) else { continue }
            let isAfterName =
                words.first == UInt8(ascii: "\"") && words[..<range.lowerBound].ends(with: "\" ")
            return (range.lowerBound == words.startIndex || isAfterName)
                && words[range.upperBound...].first == UInt8(ascii: ":")
        }
        return false
    }

    /// Returns the text after `Thread 5`; `nil` for any other text.
    private static func textAfterNumber(_ line: Text) -> Text? {
        guard let number = line.trimmed.dropping("Thread ") else { return nil }
        let textAfter = number.drop { $0.isDigit }
        return textAfter.startIndex > number.startIndex ? textAfter : nil
    }
}
