import Foundation
import LeakGzip
import LoadTools

/// Requests for the collector, sent by wrk.
struct Reports {
    let script: String
    let folder: String

    /// - Parameters:
    ///   - bodies: the number of different lists of reports to prepare; each is sent by many senders. A gzipped body cannot be
    ///     put together from parts, so it always has the same sender.
    ///   - frames: the number of frames in the call stack of each report; 0 for a path of owners.
    init(reportsPerRequest: Int, bodies: Int, gzip: Bool, frames: Int = 0) throws {
        let folder = NSTemporaryDirectory() + "ingest-load-\(UUID().uuidString)"
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var load = Load(frames: frames)
        let senders = (0..<Load.installs).map { "{" + load.sender(install: $0) }
        let senderBytes = senders[0].utf8.count
        precondition(senders.allSatisfy { $0.utf8.count == senderBytes }, "senders differ in length")
        // Writes each part as a line with its number of bytes, followed by the bytes.
        func write(_ parts: [[UInt8]], to name: String) throws {
            var bytes: [UInt8] = []
            for part in parts { bytes += Array("\(part.count)\n".utf8) + part }
            try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
        }
        var parts: [[UInt8]] = []
        for number in 0..<bodies {
            let reports = load.reports(reportsPerRequest, senderBytes: senderBytes)
            let sender = senders[number * 7_919 % senders.count]
            parts.append(gzip ? Gzip.deflate(Array((sender + reports).utf8)) : Array(reports.utf8))
        }
        try write(parts, to: "bodies")
        try write(gzip ? [[]] : senders.map { Array($0.utf8) }, to: "senders")
        script = folder + "/load.lua"
        try """
        local head = table.concat({"POST /api/v1/reports HTTP/1.1", "Host: 127.0.0.1",
          "Authorization: Bearer \(CollectorProcess.key)", "Content-Type: application/json",
          \(gzip ? #""Content-Encoding: gzip","# : "")
          "Content-Length: %d", "Idempotency-Key: "}, "\\r\\n")
        local heads, bodies, senders = {}, {}, {}
        local next_body = 0
        local function read(name, take)
          local file = assert(io.open("\(folder)/" .. name, "rb"))
          while true do
            local length = file:read("*n")
            if not length then break end
            file:read(1)
            take(length, length > 0 and file:read(length) or "")
          end
          file:close()
        end
        function init(args)
          local random = assert(io.open("/dev/urandom", "rb"))
          local a, b, c, d = random:read(4):byte(1, 4)
          random:close()
          math.randomseed(((a * 256 + b) * 256 + c) * 256 + d)
          read("senders", function(length, text) senders[#senders + 1] = text end)
          read("bodies", function(length, text)
            heads[#heads + 1] = string.format(head, length + #senders[1])
            bodies[#bodies + 1] = text
          end)
          next_body = math.random(#bodies)
        end
        function request()
          next_body = next_body % #bodies + 1
          local key = string.format("%08x-%04x-4%03x-8%03x-%06x%06x\\r\\n\\r\\n", math.random(0, 0x7fffffff),
            math.random(0, 0xffff), math.random(0, 0xfff), math.random(0, 0xfff), math.random(0, 0xffffff),
            math.random(0, 0xffffff))
          return heads[next_body] .. key .. senders[math.random(#senders)] .. bodies[next_body]
        end
        \(Wrk.luaDoneFunction)
        """.write(toFile: script, atomically: true, encoding: .utf8)
    }

    func run(port: Int, connections: Int, seconds: Int) throws -> Wrk.Outcome {
        try Wrk.run(script: script, port: port, connections: connections, seconds: seconds)
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
    }
}
