#if os(Linux)
    /// Where one transfer's answer gathers, as curl hands it over in pieces.
    struct Sink {
        /// Of all header fields together. Our collector sends about 300; a chatty proxy adds a few thousand.
        static let fieldBytes = 32 * 1024

        let bodyLimit: Int
        private(set) var fields: [HTTPField] = []
        private(set) var body: [UInt8] = []
        /// What became too long, in words; `nil` while nothing has.
        private(set) var excess: String?
        /// Whether the empty line after the last head has come; curl takes a head that breaks off for a whole one.
        private(set) var isHeadComplete = false
        private var fieldRoom = Sink.fieldBytes

        init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

        /// - Returns: whether the bytes were taken; if not, the transfer is to stop.
        mutating func takeBody(_ bytes: some Collection<UInt8>) -> Bool {
            guard body.count + bytes.count <= bodyLimit else {
                excess = "the answer is longer than \(bodyLimit) bytes"
                return false
            }
            body.append(contentsOf: bytes)
            return true
        }

        /// Takes one line of the head, status lines and the empty one included.
        ///
        /// - Returns: whether it was taken; if not, the transfer is to stop.
        mutating func takeLine(_ bytes: some Collection<UInt8>) -> Bool {
            fieldRoom -= bytes.count
            guard fieldRoom >= 0 else {
                excess = "the head of the answer is longer than \(Self.fieldBytes) bytes"
                return false
            }
            let line = String(decoding: bytes, as: UTF8.self)
            if line.hasPrefix("HTTP/") {
                // An interim answer (RFC 9110 §15.2) has a head of its own.
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
