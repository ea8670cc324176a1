import Foundation

/// Standard output of the app. Each line is written immediately.
struct Output {
    /// The number that was printed last.
    private(set) var stored = 0

    func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    mutating func printStored(_ number: Int) {
        guard number > stored else { return }
        stored = number
        say("stored \(number)")
    }
}
