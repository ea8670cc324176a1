import Foundation

// Simulates pairs of releases and counts the results of the release gate. The same arguments give the same table.

let usage = """
    usage: gate-simulation [--pairs 10000] [--seed 1] [--markdown | --check FILE | --write FILE]

    Simulates pairs of releases of one app, and lets the release gate compare the second with the first: leak rates from
    0.1 to 20 %, 1 to 12 classes with 200 to 20,000 checks each, 40 to 4,000 installs, correlation within a device up to
    0.05, the mix of screens constant or shifting, devices the same or new. A fifth as many pairs have 50 to 150 classes,
    with 10,000 to 300,000 checks in all. Prints how often the gate fails an unchanged release, finds a changed leak, and
    cannot tell.

    --markdown    prints the table alone
    --check FILE  fails if the table in a document differs; it stands between the comments
                  <!-- gate-simulation --> and <!-- /gate-simulation -->
    --write FILE  replaces the table in a document

    exit codes: 0 done, 1 a promise of the table does not hold, or the document has another table, 64 wrong usage
    """

func fail(_ message: String, code: Int32 = 1) -> Never {
    FileHandle.standardError.write(Data("gate-simulation: \(message)\n".utf8))
    exit(code)
}

/// Returns the document with the table between its two comments.
func document(_ path: String, with table: String) throws -> (old: String, new: String) {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let (opening, closing) = ("<!-- gate-simulation -->\n", "\n<!-- /gate-simulation -->")
    guard let start = text.range(of: opening)?.upperBound,
        let end = text.range(of: closing, range: start..<text.endIndex)?.lowerBound
    else { fail("\(path) has no place for the table: see --help") }
    return (text, text.replacingCharacters(in: start..<end, with: "\n\(table)\n"))
}

let arguments = CommandLine.arguments.dropFirst()
if arguments.contains("--help") || arguments.contains("-h") {
    print(usage)
    exit(0)
}
let options: Options
do {
    options = try Options(arguments)
} catch {
    fail("\(error)\n\(usage)", code: 64)
}
let table = Simulation(pairs: options.pairs, seed: options.seed).run()
switch options.output {
case .summary, .markdown: print(table.markdown)
case .check(let path):
    let text = try document(path, with: table.markdown)
    guard text.old == text.new else {
        fail(
            "the table of \(path) differs from the simulation, which gives:\n\n\(table.markdown)\n\n"
                + "To replace it: make gate-simulation BENCH='--write \(path)'")
    }
    print("\(path) has the table of the simulation")
case .write(let path):
    try document(path, with: table.markdown).new.write(toFile: path, atomically: true, encoding: .utf8)
}
let brokenPromises = table.brokenPromises
guard brokenPromises.isEmpty else { fail(brokenPromises.joined(separator: "\ngate-simulation: ")) }
if case .summary = options.output { print("\nAll promises hold.") }
