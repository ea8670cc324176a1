import Foundation

// The embedded store alone, without a server around it.

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") {
    print(
        """
        usage: store-bench [--seconds 3] [--counting] [--reading] [--commits N [--batch 50]]
          --seconds   how long each kind of batch is counted
          --counting  reports per second alone; --reading: lists and details alone
          --commits   counts so many commits of 64 batches and nothing else, for callgrind; --batch: reports of each
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
