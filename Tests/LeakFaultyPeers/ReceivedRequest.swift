/// A request, or the part of it that was read.
public struct ReceivedRequest: Hashable, Sendable {
    /// Number of the connection, from 0 in the order of arrival.
    public let connection: Int
    /// Number of the request among all requests, from 0.
    public let number: Int
    /// The request line and the fields, without the blank line; empty if the head is incomplete.
    public let head: String
    /// The body as it was sent, compressed or not.
    public let body: [UInt8]

    public var idempotencyKey: String? { self["Idempotency-Key"] }

    /// The value of the first field with this name, compared without regard to case.
    public subscript(name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased()
            else { continue }
            return String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        return nil
    }
}

/// A parser that splits a connection's bytes into requests, by `Content-Length`.
struct RequestBytes {
    private var bytes: [UInt8] = []

    mutating func append(_ piece: [UInt8]) { bytes += piece }

    /// Removes the received part of the next request from the buffer.
    ///
    /// - Parameter limit: number of bytes that are enough; `nil` is the whole request.
    /// - Returns: head and body, or `nil` if too few bytes have arrived.
    mutating func take(upTo limit: Int?) -> (head: String, body: [UInt8])? {
        let end = Self.endOfHead(in: bytes)
        let head = end.map { String(decoding: bytes[..<($0 - 4)], as: UTF8.self) } ?? ""
        let length = end.map { $0 + Self.contentLength(in: head) }
        if let limit, bytes.count >= limit, length.map({ limit < $0 }) ?? true {
            defer { bytes = [] }
            return (head, end.map { Array(bytes[min($0, limit)..<limit]) } ?? [])
        }
        guard let end, let length, bytes.count >= length else { return nil }
        defer { bytes = Array(bytes[length...]) }
        return (head, Array(bytes[end..<length]))
    }

    private static func contentLength(in head: String) -> Int {
        ReceivedRequest(connection: 0, number: 0, head: head, body: [])["Content-Length"].flatMap { Int($0) }
            ?? 0
    }

    /// - Returns: the offset after `CR LF CR LF`.
    private static func endOfHead(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) }
    }
}
