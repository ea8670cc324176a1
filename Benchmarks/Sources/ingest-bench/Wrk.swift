import Foundation
import Gzip

/// A load of prepared requests, sent by wrk: https://github.com/wg/wrk
struct Wrk {
    struct Outcome {
        /// Answers of 200 to 299.
        var accepted: Int
        var refused: Int
        var seconds: Double
        /// Milliseconds.
        var median: Double
        var slowest1Percent: Double
    }

    private let script: String
    private let folder: String

    /// - Parameters:
    ///   - requests: how many different bodies to prepare; they repeat after that.
    init(reportsPerRequest: Int, requests: Int, gzip: Bool) throws {
        folder = NSTemporaryDirectory() + "ingest-load-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var load = Load()
        var bytes: [UInt8] = []
        for _ in 0..<requests {
            var body = load.body(reports: reportsPerRequest)
            if gzip { body = Gzip.deflate(body) }
            bytes += Array("\(body.count)\n".utf8) + body
        }
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/bodies"))
        script = folder + "/load.lua"
        let encoding = gzip ? #"headers["Content-Encoding"] = "gzip""# : ""
        try """
        local requests = {}
        local next_request = 0
        function init(args)
          local headers = {}
          headers["Authorization"] = "Bearer \(CollectorProcess.key)"
          headers["Content-Type"] = "application/json"
          \(encoding)
          local file = assert(io.open("\(folder)/bodies", "rb"))
          while true do
            local length = file:read("*n")
            if not length then break end
            file:read(1)
            local body = file:read(length)
            requests[#requests + 1] = wrk.format("POST", "/api/v1/reports", headers, body)
          end
          file:close()
        end
        function request()
          next_request = next_request % #requests + 1
          return requests[next_request]
        end
        function done(summary, latency)
          io.write(string.format("outcome %d %d %d %f %f\\n", summary.requests, summary.errors.status,
            summary.duration, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
        end
        """.write(toFile: script, atomically: true, encoding: .utf8)
    }

    func run(port: Int, connections: Int, seconds: Int) throws -> Outcome {
        let text = try Shell.run(
            "wrk", ["-t1", "-c\(connections)", "-d\(seconds)s", "-s", script, "http://127.0.0.1:\(port)"])
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("outcome ") }) else {
            throw Failure("wrk said nothing of its outcome: \(text)")
        }
        let numbers = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard numbers.count == 5 else { throw Failure("not wrk's outcome: \(line)") }
        return Outcome(
            accepted: Int(numbers[0] - numbers[1]), refused: Int(numbers[1]), seconds: numbers[2] / 1_000_000,
            median: numbers[3], slowest1Percent: numbers[4])
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }
}
