import Foundation
import Gzip
import LoadTools

/// Prepared requests for the collector, sent by wrk.
struct Reports {
    let script: String
    let folder: String

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
        \(Wrk.done)
        """.write(toFile: script, atomically: true, encoding: .utf8)
    }

    func run(port: Int, connections: Int, seconds: Int) throws -> Wrk.Outcome {
        try Wrk.run(script: script, port: port, connections: connections, seconds: seconds)
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }
}
