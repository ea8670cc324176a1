import Foundation

let outcome: Int32
do throws(Options.UsageError) {
    switch try Options.read(Array(CommandLine.arguments.dropFirst()), ProcessInfo.processInfo.environment) {
    case .help:
        print(Options.help)
        outcome = 0
    case .paths:
        outcome = FoundPaths.print() ? 0 : 1
    case .run(let options):
        outcome = Demo(options).run() ? 0 : 1
    }
} catch {
    FileHandle.standardError.write(Data("leak-demo: \(error)\nTry: leak-demo --help\n".utf8))
    outcome = 2
}
exit(outcome)
