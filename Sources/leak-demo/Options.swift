/// Options from the command line and the environment.
struct Options: Hashable {
    var endpoint = "http://localhost:8080"
    var key = ""
    /// An access token, with which the demo makes decisions about leaks; empty if it should make none.
    var token = ""
    var version = "2.1.0"
    var repeatCount = 1

    enum Command: Hashable {
        case help
        case run(Options)
        case paths
    }

    enum UsageError: Error, Hashable, CustomStringConvertible {
        case unknown(option: String)
        case valueMissing(String)
        case notANumber(text: String)
        case keyMissing

        var description: String {
            switch self {
            case .unknown(let argument): "there is no option \(argument)"
            case .valueMissing(let flag): "\(flag) needs a value"
            case .notANumber(let text): "--repeat takes a number from 1 to 100, not \(text)"
            case .keyMissing:
                "no ingest key. The collector prints one when it starts for the first time; pass it with "
                    + "LEAK_KEY=… or --key"
            }
        }
    }

    static let help = """
        leak-demo sends two weeks of reports of a made-up shop, com.example.shop. Then it creates real leaks, finds them with
        LeakDetector and sends them with LeakReporter, for com.example.leak-demo in the environment debug.

        usage: leak-demo [--endpoint URL] [--key KEY] [--version-name VERSION] [--repeat N]
               leak-demo --paths

          --endpoint URL            the address of the collector; default: LEAK_ENDPOINT, or http://localhost:8080
          --key KEY                 an ingest key; default: LEAK_KEY
          --version-name VERSION    the newest version of the demo app; default: 2.1.0
          --repeat N                creates every leak N times, 1 to 100; default: 1
          --paths                   sends nothing; prints for each leak the expected path and the path that was found
          --help                    prints this text

        LEAK_ENDPOINT and LEAK_KEY are environment variables. Prefer LEAK_KEY to --key: everyone on the machine can see command
        lines. With an access token in LEAK_TOKEN, it also resolves and ignores some leaks of the shop. The versions, installs and
        devices of com.example.leak-demo are made up; its leaked objects are real.
        Exit codes: 0 if everything was delivered, 1 if not, 2 if the command line is wrong. With --paths: 0 if at least
        \(FoundPaths.requiredCount) paths are as expected, 1 if not.
        """

    /// Parses the command line.
    ///
    /// - Parameters:
    ///   - arguments: the arguments, without the program's name.
    ///   - environment: variables, of which `LEAK_ENDPOINT`, `LEAK_KEY` and `LEAK_TOKEN` are read.
    static func read(_ arguments: [String], _ environment: [String: String]) throws(UsageError) -> Command {
        var options = Options()
        if let endpoint = environment["LEAK_ENDPOINT"], !endpoint.isEmpty { options.endpoint = endpoint }
        if let key = environment["LEAK_KEY"] { options.key = key }
        if let token = environment["LEAK_TOKEN"] { options.token = token }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--help" || argument == "-h" { return .help }
            if argument == "--paths" { return .paths }
            // `--flag=value` as well as `--flag value`.
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let flag = String(parts[0])
            guard ["--endpoint", "--key", "--version-name", "--repeat"].contains(flag) else {
                throw .unknown(option: flag)
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !value.isEmpty else {
                throw .valueMissing(flag)
            }
            switch flag {
            case "--endpoint": options.endpoint = value
            case "--key": options.key = value
            case "--version-name": options.version = value
            default:
                guard let number = Int(value), (1...100).contains(number) else {
                    throw .notANumber(text: value)
                }
                options.repeatCount = number
            }
        }
        guard !options.key.isEmpty else { throw .keyMissing }
        return .run(options)
    }

    /// The version before ``version``: `2.0.9` for `2.1.0`, `1.9.0` for `2.0.0`.
    var previousVersion: String {
        var numbers = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        guard let last = numbers.lastIndex(where: { $0 > 0 }), !numbers.contains(-1) else {
            return "\(version)-previous"
        }
        numbers[last] -= 1
        if last + 1 < numbers.count { numbers[last + 1] = 9 }
        return numbers.map(String.init).joined(separator: ".")
    }
}
