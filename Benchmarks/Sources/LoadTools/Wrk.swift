import Foundation

/// Runs wrk, https://github.com/wg/wrk, with a script that defines the requests.
public enum Wrk {
    public struct Outcome {
        /// Responses with a status below 400.
        public var accepted: Int
        /// Responses with a status of 400 or above.
        public var refused: Int
        /// Connections that failed, broke or timed out.
        public var broken: Int
        public var seconds: Double
        /// Median response time in milliseconds.
        public var median: Double
        /// Response time in milliseconds that 99 % of the responses did not exceed.
        public var percentile99: Double

        public var perSecond: Double { Double(accepted) / seconds }
    }

    /// The end of every script: prints the outcome in a form that ``run(script:port:connections:seconds:threads:core:)`` reads.
    public static let luaDoneFunction = """
        function done(summary, latency)
          local errors = summary.errors
          io.write(string.format("outcome %d %d %d %d %f %f\\n", summary.requests, errors.status,
            errors.connect + errors.read + errors.write + errors.timeout, summary.duration,
            latency:percentile(50) / 1000, latency:percentile(99) / 1000))
        end
        """

    /// - Parameters:
    ///   - script: the path of a Lua script that ends with ``luaDoneFunction``.
    ///   - core: the only core that wrk may use; `nil` lets the system choose.
    public static func run(
        script: String, port: Int, connections: Int, seconds: Int, threads: Int = 1, core: Int? = nil
    ) throws -> Outcome {
        let call = [
            "wrk", "-t\(threads)", "-c\(connections)", "-d\(seconds)s", "-s", script,
            "http://127.0.0.1:\(port)",
        ]
        let pinned = core.map { ["taskset", "-c", "\($0)"] + call } ?? call
        let text = try Shell.run(pinned[0], Array(pinned.dropFirst()))
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("outcome ") }) else {
            throw Failure("the output of wrk has no line with its outcome: \(text)")
        }
        let numbers = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard numbers.count == 6 else { throw Failure("the outcome of wrk is not six numbers: \(line)") }
        return Outcome(
            accepted: Int(numbers[0] - numbers[1]), refused: Int(numbers[1]), broken: Int(numbers[2]),
            seconds: numbers[3] / 1_000_000, median: numbers[4], percentile99: numbers[5])
    }
}
