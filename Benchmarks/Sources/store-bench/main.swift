import Foundation

// Measures the embedded store without a server.

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") {
    print(
        """
        usage: store-bench [--seconds 3] [--counting] [--reading] [--commits N [--batch 50]]
          --seconds   how long each kind of batch is counted
          --counting  measures only reports per second
          --reading   measures only lists and single leaks
          --commits   only makes N commits of 64 batches, for callgrind
          --batch     the number of reports in each of these batches
        """)
    exit(0)
}
func number(_ name: String) -> Double? {
    arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? Double(arguments[$0 + 1]) : nil }
}
let seconds = number("--seconds") ?? 3

do {
    if let commits = number("--commits") {
        try WriteBench.count(commits: Int(commits), batch: Int(number("--batch") ?? 50))
        exit(0)
    }
    if !arguments.contains("--reading") { try WriteBench.measure(seconds: seconds) }
    if !arguments.contains("--counting") { try ReadBench.measure() }
} catch {
    FileHandle.standardError.write(Data("store-bench: \(error)\n".utf8))
    exit(1)
}
