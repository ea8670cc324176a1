#if os(Linux)
    /// The response of one transfer as far as it has arrived: curl delivers it in pieces.
    struct ResponseCollector {
        /// The most bytes of all header fields together. The server sends about 300 bytes; a proxy that adds many fields adds a
        /// few thousand.
        static let maxFieldBytes = 32 * 1024

        let bodyLimit: Int
        private(set) var fields: [HTTPField] = []
        private(set) var body: [UInt8] = []
        /// The message that says which part of the response exceeded its limit; `nil` if none did.
        private(set) var limitError: String?
        /// `true` if the empty line after the last head has arrived. curl itself accepts a truncated head as complete.
        private(set) var isHeadComplete = false
        private var fieldBytesLeft = ResponseCollector.maxFieldBytes

        init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

        /// Appends the next bytes of the body.
        ///
        /// - Returns: `true` if the bytes were accepted; otherwise the transfer must stop.
        mutating func appendBody(_ bytes: some Collection<UInt8>) -> Bool {
            guard body.count + bytes.count <= bodyLimit else {
                limitError = "the response is longer than \(bodyLimit) bytes"
                return false
            }
            body.append(contentsOf: bytes)
            return true
        }

        /// Parses one line of the head; status lines and the empty line are included.
        ///
        /// - Returns: `true` if the line was accepted; otherwise the transfer must stop.
        mutating func appendLine(_ bytes: some Collection<UInt8>) -> Bool {
            fieldBytesLeft -= bytes.count
            guard fieldBytesLeft >= 0 else {
                limitError = "the head of the response is longer than \(Self.maxFieldBytes) bytes"
                return false
            }
            let line = String(decoding: bytes, as: UTF8.self)
            if line.hasPrefix("HTTP/") {
                // An interim response (RFC 9110 §15.2) has a head of its own.
                fields = []
                isHeadComplete = false
            } else if line == "\r\n" || line == "\n" {
                isHeadComplete = true
            } else if let colon = line.firstIndex(of: ":") {
                fields.append(
                    HTTPField(Self.trimmed(line[..<colon]), Self.trimmed(line[line.index(after: colon)...])))
            }
            return true
        }

        private static func trimmed(_ text: Substring) -> String {
            let start = text.drop(while: \.isWhitespace)
            let end = start.lastIndex { !$0.isWhitespace }
            return end.map { String(start[...$0]) } ?? ""
        }
    }
#endif
