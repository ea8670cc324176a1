import Foundation
import LoadTools

/// Measures requests for `/` over loopback, and for comparison requests for the health check.
enum Requests {
    private static let connections = 8

    static func measure(publicFolder: String, seconds: Int) throws {
        let shop = try Shop(leaks: 200, publicFolder: publicFolder)
        defer { shop.stop() }
        let folder = NSTemporaryDirectory() + "page-bench-wrk-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }

        let port = shop.collector.port
        let lists = ["/", "/?limit=200"]
        print(
            "\n| request, \(connections) connections | status | bytes | requests/s | × /healthz | median ms | slowest 1 %, ms |"
        )
        print("|---|--:|--:|--:|--:|--:|--:|")
        let floor = try run("/healthz", fields: [:], port: port, folder: folder, seconds: seconds)
        printLine("/healthz", floor, floor: floor)
        for path in lists {
            for (name, fields) in [("", [:]), (", gzip", ["Accept-Encoding": "gzip"])] {
                printLine(
                    path + name,
                    try run(path, fields: fields, port: port, folder: folder, seconds: seconds),
                    floor: floor)
            }
            guard let tag = try answer(path, fields: [:], port: port).tag else { throw Failure("no ETag") }
            printLine(
                path + ", If-None-Match",
                try run(path, fields: ["If-None-Match": tag], port: port, folder: folder, seconds: seconds),
                floor: floor)
        }
    }

    private struct Line {
        var status: String
        var bytes: Int
        var outcome: Wrk.Outcome
    }

    private static func printLine(_ name: String, _ line: Line, floor: Line) {
        let outcome = line.outcome
        let trouble = outcome.refused + outcome.broken == 0 ? "" : " !"
        print(
            "| \(name) | \(line.status) | \(line.bytes) | \(Int(outcome.perSecond))\(trouble) "
                + "| \(String(format: "%.3f", outcome.perSecond / floor.outcome.perSecond)) "
                + "| \(String(format: "%.2f", outcome.median)) | \(String(format: "%.2f", outcome.percentile99)) |"
        )
    }

    private static func run(
        _ path: String, fields: [String: String], port: Int, folder: String, seconds: Int
    ) throws -> Line {
        let before = try answer(path, fields: fields, port: port)
        let lines = fields.merging(["Authorization": "Bearer \(Shop.token)"]) { $1 }
            .map { "wrk.headers[\"\($0)\"] = '\($1)'" }.joined(separator: "\n")
        let script = "\(folder)/page.lua"
        try "wrk.path = \"\(path)\"\n\(lines)\n\(Wrk.luaDoneFunction)".write(
            toFile: script, atomically: true, encoding: .utf8)
        let outcome = try Wrk.run(
            script: script, port: port, connections: connections, seconds: seconds)
        // If the page had changed meanwhile, If-None-Match would have got the whole page.
        guard try answer(path, fields: fields, port: port).status == before.status else {
            throw Failure("\(path) changed while it was measured: run again")
        }
        return Line(status: before.status, bytes: before.bytes, outcome: outcome)
    }

    private static func answer(
        _ path: String, fields: [String: String], port: Int
    ) throws -> (status: String, bytes: Int, tag: String?) {
        let head = fields.merging(["Authorization": "Bearer \(Shop.token)"]) { $1 }
            .flatMap { ["-H", "\($0): \($1)"] }
        let text = try Shell.run(
            "curl",
            ["-sS", "-o", "/dev/null", "-D", "-", "-w", "%{http_code} %{size_download}"] + head
                + ["http://127.0.0.1:\(port)\(path)"])
        let lines = text.split(whereSeparator: \.isNewline)
        let tag = lines.first { $0.lowercased().hasPrefix("etag:") }?.dropFirst(5)
        let last = (lines.last ?? "").split(separator: " ")
        guard last.count == 2, let bytes = Int(last[1]) else {
            throw Failure("unexpected output of curl: \(text)")
        }
        return (String(last[0]), bytes, tag.map { $0.trimmingCharacters(in: .whitespaces) })
    }
}
