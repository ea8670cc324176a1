import Foundation

/// What the app says on standard output: each line is written when it is said.
struct Output {
    /// The number that was said last.
    private(set) var stored = 0

    func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    mutating func sayStored(_ number: Int) {
        guard number > stored else { return }
        stored = number
        say("stored \(number)")
    }
}
