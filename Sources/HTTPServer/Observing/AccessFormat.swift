/// How an access log writes its lines. Pure; whatever a peer sent, a record is one line in ASCII.
public enum AccessFormat: String, Hashable, Sendable, CaseIterable {
    /// The combined log format, which most programs that count visits read, then the seconds it took, the bytes of
    /// body that came, and whether the connection was kept or closed. The third and the referring page are always
    /// `-`. Bytes that could end the line or leave their quotes stand as `\xHH`.
    /// https://httpd.apache.org/docs/2.4/logs.html#combined
    case text
    /// An object with `time`, `peer`, `method`, `target`, `version`, `status`, `bytes_in`, `bytes_out`,
    /// `duration_ms`, `closed` and `user_agent`; what is not known is `null`.
    case json

    /// The line of `record` with its end.
    public func line(_ record: AccessRecord) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(192 + record.target.count + (record.userAgent?.count ?? 0))
        switch self {
        case .text: text(record, into: &line)
        case .json: json(record, into: &line)
        }
        line.append(ASCII.lineFeed)
        return line
    }

    /// The line that stands for records that nobody took in time.
    ///
    /// - Parameters:
    ///   - count: how many they were.
    ///   - time: milliseconds since 1970 in UTC.
    public func line(dropped count: Int, time: Int64) -> [UInt8] {
        switch self {
        case .text:
            Array("# \(HTTPDate.log(time)) \(count) lines dropped: this log is not read fast enough\n".utf8)
        case .json: Array("{\"time\":\"\(HTTPDate.rfc3339(time))\",\"dropped\":\(count)}\n".utf8)
        }
    }

    private func text(_ record: AccessRecord, into line: inout [UInt8]) {
        line += (record.peer ?? "-").utf8
        line += " - - [\(HTTPDate.log(record.time))] \"".utf8
        if let method = record.method {
            line += "\(method.name) ".utf8
            LogText.escape(record.target, into: &line)
            line += " HTTP/1.\(record.minorVersion)".utf8
        } else {
            line += "-".utf8
        }
        line += "\" \(record.status.code) \(record.bytesSent) \"-\" \"".utf8
        LogText.escape(record.userAgent ?? [UInt8(ascii: "-")], into: &line)
        let took = LogText.decimal(record.duration.microseconds, places: 6)
        line += "\" \(took) \(record.bytesReceived) \(record.closes ? "close" : "keep")".utf8
    }

    private func json(_ record: AccessRecord, into line: inout [UInt8]) {
        line += "{\"time\":\"\(HTTPDate.rfc3339(record.time))\",\"peer\":".utf8
        LogText.json(record.peer.map { Array($0.utf8) }, into: &line)
        line += ",\"method\":".utf8
        LogText.json(record.method.map { Array("\($0.name)".utf8) }, into: &line)
        line += ",\"target\":".utf8
        LogText.json(record.method == nil ? nil : record.target, into: &line)
        line += ",\"version\":\"HTTP/1.\(record.minorVersion)\",\"status\":\(record.status.code)".utf8
        line += ",\"bytes_in\":\(record.bytesReceived),\"bytes_out\":\(record.bytesSent)".utf8
        line += ",\"duration_ms\":\(LogText.decimal(record.duration.microseconds, places: 3))".utf8
        line += ",\"closed\":\(record.closes),\"user_agent\":".utf8
        LogText.json(record.userAgent, into: &line)
        line.append(UInt8(ascii: "}"))
    }
}

/// Text from outside, as it may stand in a line.
enum LogText {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Visible ASCII and spaces as they are; quotes, backslashes and every other byte as `\xHH`.
    static func escape(_ bytes: [UInt8], into line: inout [UInt8]) {
        for byte in bytes {
            if (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
                line.append(byte)
            } else {
                line += [
                    UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)],
                ]
            }
        }
    }

    /// A JSON string of ASCII alone: no terminal and no reader of lines finds anything in it to obey. Bytes that are
    /// no UTF-8 become U+FFFD.
    static func json(_ bytes: [UInt8]?, into line: inout [UInt8]) {
        guard let bytes else {
            line += "null".utf8
            return
        }
        line.append(UInt8(ascii: "\""))
        for unit in String(decoding: bytes, as: UTF8.self).utf16 {
            if (0x20..<0x7F).contains(unit) && unit != 0x22 && unit != 0x5C {
                line.append(UInt8(truncatingIfNeeded: unit))
            } else {
                line += [UInt8(ascii: "\\"), UInt8(ascii: "u")]
                for shift: UInt16 in [12, 8, 4, 0] { line.append(digits[Int(unit >> shift & 15)]) }
            }
        }
        line.append(UInt8(ascii: "\""))
    }

    /// `number` with its last `places` digits behind a point.
    static func decimal(_ number: Int64, places: Int) -> String {
        let text = String(max(number, 0))
        let padded = String(repeating: "0", count: max(0, places + 1 - text.utf8.count)) + text
        return "\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}

extension Duration {
    /// Whole microseconds, rounded down.
    fileprivate var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(seconds, 1 << 40) * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
