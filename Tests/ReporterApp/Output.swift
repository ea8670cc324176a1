import Foundation

/// Standard output of the app. Each line is written immediately.
struct Output {
    /// The last number of stored sightings that was printed.
    private(set) var lastPrintedStored = 0

    func printLine(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    mutating func printStored(_ number: Int) {
        guard number > lastPrintedStored else { return }
        lastPrintedStored = number
        printLine("stored \(number)")
    }
}
