import Foundation

// Measures pages: rendering time, size, and responses per second. With --allocations, measures the cost of reading and grouping
// a report with a call stack.

let arguments = Array(CommandLine.arguments.dropFirst())
func value(_ name: String) -> String? {
    arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
}
if arguments.contains("--help") {
    print(
        """
        usage: page-bench [--public Public] [--seconds 3]
               page-bench --allocations
          --public       the folder with the style sheet
          --seconds      how long each kind of request is sent
          --allocations  counts allocations per report with and without a call stack; exits with 1 if known frames need any
        """)
    exit(0)
}
let publicFolder = value("--public") ?? "Public"
do {
    if arguments.contains("--allocations") { exit(try Allocations.measure() ? 0 : 1) }
    try RenderBench.measure(publicFolder: publicFolder)
    try Requests.measure(publicFolder: publicFolder, seconds: value("--seconds").flatMap { Int($0) } ?? 3)
} catch {
    FileHandle.standardError.write(Data("page-bench: \(error)\n".utf8))
    exit(1)
}
