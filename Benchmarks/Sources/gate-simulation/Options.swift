/// The command line.
struct Options {
    enum Output {
        /// The table, and whether all promises hold.
        case summary
        /// The table alone.
        case markdown
        /// Compares the table in a document with the simulation.
        case check(document: String)
        /// Replaces the table in a document.
        case write(document: String)
    }

    struct UsageError: Error, CustomStringConvertible {
        let description: String
    }

    var pairs = 10_000
    var seed = 1
    var output = Output.summary

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var remaining = arguments.makeIterator()
        while let name = remaining.next() {
            switch name {
            case "--markdown": output = .markdown
            case "--pairs", "--seed", "--check", "--write":
                guard let value = remaining.next() else {
                    throw UsageError(description: "\(name) needs a value")
                }
                switch name {
                case "--check": output = .check(document: value)
                case "--write": output = .write(document: value)
                default:
                    guard let number = Int(value), number >= 0 else {
                        throw UsageError(description: "\(name) takes a number")
                    }
                    if name == "--pairs" { pairs = number } else { seed = number }
                }
            default: throw UsageError(description: "there is no option \(name)")
            }
        }
    }
}
