import Foundation

// The pages: how long they take to render, how large they are, how often a second the server gives them.

let arguments = Array(CommandLine.arguments.dropFirst())
func value(_ name: String) -> String? {
    arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
}
if arguments.contains("--help") {
    print(
        """
        usage: page-bench [--public Public] [--seconds 3]
          --public   the folder with the style sheet
          --seconds  how long each kind of request is sent
        """)
    exit(0)
}
let publicFolder = value("--public") ?? "Public"
do {
    try Rendering.measure(publicFolder: publicFolder)
    try Requests.measure(publicFolder: publicFolder, seconds: value("--seconds").flatMap { Int($0) } ?? 3)
} catch {
    FileHandle.standardError.write(Data("page-bench: \(error)\n".utf8))
    exit(1)
}
