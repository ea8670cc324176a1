/// The format of the lines of an access log. A line depends only on its record, and is one line of ASCII, even if the peer
/// sent line breaks or other bytes.
public enum AccessFormat: String, Hashable, Sendable, CaseIterable {
    /// The combined log format, which most log analyzers read, followed by the duration in seconds, the received bytes of the
    /// body, whether the connection was kept open or closed, and the identifier of the request if it has one. The second field, the third field and the referrer are always
    /// `-`. Bytes that could end the line or the quoted part are written as `\xHH`.
    /// https://httpd.apache.org/docs/2.4/logs.html#combined
    case text
    /// A JSON object with `time`, `peer`, `method`, `target`, `version`, `status`, `bytes_in`, `bytes_out`, `duration_ms`, `closed`
    /// and `user_agent`; unknown values are `null`. If requests have identifiers, also with `request_id`.
    case json

    /// Returns the line of `record`, including its line feed.
    public func line(_ record: AccessRecord) -> [UInt8] {
        var line = LogLine(capacity: 224 + record.target.count + (record.userAgent?.count ?? 0))
        switch self {
        case .text: appendText(record, into: &line)
        case .json: appendJSON(record, into: &line)
        }
        line.append("\n")
        return line.bytes
    }

    /// Returns the line that reports dropped records.
    ///
    /// - Parameters:
    ///   - count: the number of dropped records.
    ///   - time: milliseconds since 1970 in UTC.
    public func line(dropped count: Int, time: Int64) -> [UInt8] {
        var line = LogLine(capacity: 96)
        switch self {
        case .text:
            line.append("# ")
            line.append(logTime: time)
            line.append(" ")
            line.append(decimal: count)
            line.append(count == 1 ? " line" : " lines")
            line.append(" dropped: this log was not written fast enough\n")
        case .json:
            line.append("{\"time\":\"")
            line.append(rfc3339: time)
            line.append("\",\"dropped\":")
            line.append(decimal: count)
            line.append("}\n")
        }
        return line.bytes
    }

    private func appendText(_ record: AccessRecord, into line: inout LogLine) {
        line.append(escaping: record.peer ?? "-")
        line.append(" - - [")
        line.append(logTime: record.time)
        line.append("] \"")
        if let method = record.method {
            line.append(method.name)
            line.append(" ")
            line.append(escaping: record.target)
            line.append(" HTTP/1.")
            line.append(decimal: record.minorVersion)
        } else {
            line.append("-")
        }
        line.append("\" ")
        line.append(decimal: Int(record.status.code))
        line.append(" ")
        line.append(decimal: record.bytesSent)
        line.append(" \"-\" \"")
        if let agent = record.userAgent { line.append(escaping: agent) } else { line.append("-") }
        line.append("\" ")
        line.append(decimal: record.duration.microseconds, fractionDigits: 6)
        line.append(" ")
        line.append(decimal: record.bytesReceived)
        line.append(record.closesConnection ? " close" : " keep")
        if let requestID = record.requestID {
            line.append(" ")
            line.append(escaping: requestID.description)
        }
    }

    private func appendJSON(_ record: AccessRecord, into line: inout LogLine) {
        line.append("{\"time\":\"")
        line.append(rfc3339: record.time)
        line.append("\",\"peer\":")
        line.append(json: record.peer.map { Array($0.utf8) })
        line.append(",\"method\":")
        if let method = record.method {
            line.append("\"")
            line.append(method.name)
            line.append("\"")
        } else {
            line.append("null")
        }
        line.append(",\"target\":")
        line.append(json: record.method == nil ? nil : record.target)
        if record.method == nil {
            line.append(",\"version\":null")
        } else {
            line.append(",\"version\":\"HTTP/1.")
            line.append(decimal: record.minorVersion)
            line.append("\"")
        }
        line.append(",\"status\":")
        line.append(decimal: Int(record.status.code))
        line.append(",\"bytes_in\":")
        line.append(decimal: record.bytesReceived)
        line.append(",\"bytes_out\":")
        line.append(decimal: record.bytesSent)
        line.append(",\"duration_ms\":")
        line.append(decimal: record.duration.microseconds, fractionDigits: 3)
        line.append(
            record.closesConnection ? ",\"closed\":true,\"user_agent\":" : ",\"closed\":false,\"user_agent\":"
        )
        line.append(json: record.userAgent)
        if let requestID = record.requestID {
            line.append(",\"request_id\":")
            line.append(json: requestID.bytes)
        }
        line.append("}")
    }
}

extension Duration {
    /// Whole microseconds, rounded down.
    fileprivate var microseconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(seconds, 1 << 40) * 1_000_000 + attoseconds / 1_000_000_000_000)
    }
}
