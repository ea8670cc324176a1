// Writes the first inputs of the fuzzer into a folder: the streams of the vectors, and forms that they do not contain.
import Foundation
import LeakGzip

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    print("usage: wire-seeds VECTORS.jsonl FOLDER")
    exit(64)
}
let folder = URL(filePath: arguments[2])

func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: folder.appending(path: name))
}

for line in try String(contentsOf: URL(filePath: arguments[1]), encoding: .utf8).split(separator: "\n") {
    guard let vector = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let id = vector["id"] as? String, let steps = vector["send"] as? [Any]
    else { continue }
    // One byte per character, Latin-1. Steps that wait or half-close the connection are left out, because a parser does not see
    // them.
    let text = steps.compactMap { $0 as? String }.joined()
    try write(id, text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
}

let start = "POST / HTTP/1.1\r\nHost: a\r\n"
let text = Array(String(repeating: "{\"leak\":\"Shop.Cart\"}\n", count: 200).utf8)
for (name, bytes) in [("text", text), ("zeros", [UInt8](repeating: 0, count: 90_000)), ("empty", [])] {
    let small = Gzip.deflate(bytes)
    let head = "\(start)Content-Encoding: gzip\r\n"
    try write("gzip-\(name)", Array("\(head)Content-Length: \(small.count)\r\n\r\n".utf8) + small)
    let chunk = Array("\(head)Transfer-Encoding: chunked\r\n\r\n\(String(small.count, radix: 16))\r\n".utf8)
    try write("gzip-chunked-\(name)", chunk + small + Array("\r\n0\r\n\r\n".utf8))
}
// `hello`, made by Python's `zlib` and `brotli`.
let hellos: [(String, String, [UInt8])] = [
    ("zlib", "deflate", [0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15]),
    ("bare", "deflate", [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]),
    ("brotli", "br", [0x0B, 0x02, 0x80, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x03]),
]
for (name, coding, bytes) in hellos {
    let head = "\(start)Content-Encoding: \(coding)\r\nContent-Length: \(bytes.count)\r\n\r\n"
    try write(name, Array(head.utf8) + bytes)
}
// Long inputs, which take longer if any byte is read twice.
let chunked = "\(start)Transfer-Encoding: chunked\r\n\r\n"
let fields = (0..<63).map { "X-\($0): \(String(repeating: "v", count: 200))\r\n" }.joined()
try write("long-fields", Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8))
try write("long-value", Array("\(start)X: \(String(repeating: " v", count: 8_000))\r\n\r\n".utf8))
let path = String(repeating: "%c3%a9", count: 300)
try write("long-path", Array("GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
try write("tiny-chunks", Array("\(chunked)\(String(repeating: "1\r\na\r\n", count: 9_000))0\r\n\r\n".utf8))
try write(
    "long-trailers", Array("\(chunked)0\r\n\(String(repeating: "A: b\r\n", count: 600))\r\n".utf8))
try write(
    "pipelined", Array(String(repeating: "GET /a?b=c HTTP/1.1\r\nHost: a\r\n\r\n", count: 500).utf8))
