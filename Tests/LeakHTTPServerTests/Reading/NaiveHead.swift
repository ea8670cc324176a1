@testable import LeakHTTPServer

/// A second, simple parser of heads, whose results are compared with those of `HeadParser` for accepted heads.
enum NaiveHead {
    /// Compares the result of `HeadParser` with a second parse.
    ///
    /// - Returns: the difference between the two results as text, or `nil`.
    static func difference(_ head: Head, _ fields: [FieldLine], _ bytes: [UInt8]) -> String? {
        guard bytes.suffix(4) == [13, 10, 13, 10] else { return "a head without its blank line" }
        guard !bytes.contains(0) else { return "a head with NUL" }
        let returns = bytes.indices.filter { bytes[$0] == 13 }
        let feeds = bytes.indices.filter { bytes[$0] == 10 }
        guard returns.map({ $0 + 1 }) == feeds else { return "a bare CR or LF" }
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map { $0.dropLast() }
        while lines.first?.isEmpty == true { lines.removeFirst() }
        let request = lines.removeFirst()
        guard request.split(separator: 32, omittingEmptySubsequences: false).count == 3 else {
            return "a request line with more or less than two spaces"
        }
        // Removes the blank line and the empty rest after the last line feed.
        lines.removeLast(2)
        let pairs = lines.map { line -> (name: String, value: String) in
            let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
            return (
                String(decoding: line[..<colon], as: UTF8.self).lowercased(),
                trimmed(line[colon...].dropFirst())
            )
        }
        let read = fields.map { field in
            (
                name: String(decoding: bytes[field.name.range], as: UTF8.self).lowercased(),
                value: String(decoding: bytes[field.value.range], as: UTF8.self)
            )
        }
        guard pairs.elementsEqual(read, by: ==) else { return "fields \(read), not \(pairs)" }
        return framingError(head, pairs)
    }

    /// Returns an error text if the framing of the body contradicts the header fields, otherwise `nil`. RFC 9112 §6.3.
    private static func framingError(_ head: Head, _ pairs: [(name: String, value: String)]) -> String? {
        let lengths = pairs.filter { $0.name == "content-length" }.map(\.value)
        let codings = pairs.filter { $0.name == "transfer-encoding" }.map(\.value)
        let hosts = pairs.filter { $0.name == "host" }.map(\.value)
        guard hosts.count == 1 || head.minorVersion == 0 && hosts.isEmpty else { return "hosts: \(hosts)" }
        switch head.framing {
        case .chunked:
            return codings.map { $0.lowercased() } == ["chunked"] && lengths.isEmpty && head.minorVersion > 0
                ? nil : "chunked by \(codings), \(lengths)"
        case .length(let count):
            return codings.isEmpty && lengths.count == 1 && lengths.compactMap { Int($0) } == [count]
                && count > 0 ? nil : "\(count) bytes by \(codings), \(lengths)"
        case .none:
            return codings.isEmpty && (lengths.isEmpty || lengths.compactMap { Int($0) } == [0])
                ? nil : "no body by \(codings), \(lengths)"
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        var rest = bytes
        while rest.first == 32 || rest.first == 9 { rest.removeFirst() }
        while rest.last == 32 || rest.last == 9 { rest.removeLast() }
        return String(decoding: rest, as: UTF8.self)
    }
}
