import Foundation
import LoadTools

/// One kind of request at one number of connections, and the expected ratio to nginx.
struct Load {
    var name: String
    var connections: Int
    var method = "GET"
    var path = "/"
    /// The path under which nginx does the same work.
    var peerPath: String?
    var bodyBytes = 0
    /// Requests sent at once on one connection.
    var depth = 1
    /// The minimum ratio of requests per second; `nil` for lines that are only for orientation.
    var target: Double?

    static let fileBytes = 100_000
    static let fileName = "file.bin"

    /// Returns the loads whose names contain `only`, or all loads. Bodies of 1 MiB on 1,000 connections are left out, because
    /// they would measure the memory of the machine.
    static func all(_ only: String?) -> [Load] {
        var loads: [Load] = []
        for connections in [8, 64, 1000] {
            loads.append(Load(name: "GET", connections: connections, peerPath: "/empty", target: 1))
            loads.append(post("POST 559 B", bytes: 559, connections: connections, target: 1.1))
            loads.append(post("POST 16 KiB", bytes: 16 << 10, connections: connections, target: 1.1))
            if connections <= 64 {
                loads.append(post("POST 1 MiB", bytes: 1 << 20, connections: connections, target: 1))
            }
            loads.append(
                Load(name: "file of 100 kB", connections: connections, path: "/\(fileName)", target: 1))
        }
        for connections in [8, 64] {
            loads.append(
                Load(
                    name: "GET, 16 deep", connections: connections, peerPath: "/empty", depth: 16, target: 5))
        }
        for bytes in [559, 16 << 10, 1 << 20] {
            var load = post(
                "POST \(bytes) B to nginx's return 200", bytes: bytes, connections: 64, target: nil)
            load.peerPath = "/discard"
            loads.append(load)
        }
        return loads.filter { only == nil || $0.name.contains(only ?? "") }
    }

    private static func post(_ name: String, bytes: Int, connections: Int, target: Double?) -> Load {
        Load(name: name, connections: connections, method: "POST", bodyBytes: bytes, target: target)
    }

    /// Writes the script for wrk.
    func script(in folder: String, peer: Bool) throws -> String {
        let path = "\(folder)/load.lua"
        try """
        local body = \(bodyBytes > 0 ? "string.rep('x', \(bodyBytes))" : "nil")
        local headers = {}
        \(bodyBytes > 0 ? #"headers["Content-Type"] = "application/json""# : "")
        local bytes
        function init(args)
          bytes = string.rep(wrk.format("\(method)", "\(peer ? peerPath ?? self.path : self.path)", headers, body), \(depth))
        end
        function request()
          return bytes
        end
        \(Wrk.luaDoneFunction)
        """.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }
}
