/// Reads a whole head: strict, without copying, without a string.
///
/// What ``HeadScanner`` has passed has CR LF line ends and no control characters but tabs.
enum HeadParser {
    /// - Parameters:
    ///   - bytes: where the head stands.
    ///   - range: the head, from the request line to its empty line.
    static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, limits: Limits, into head: inout Head
    ) throws(RequestError) {
        head.reset()
        var line = try RequestLine(bytes, range.lowerBound, limits)
        try line.read(into: &head)
        var framing = Framing()
        var offset = line.end
        while unsafe bytes[offset] != 0x0D {
            let field = try readField(bytes, &offset)
            guard head.fields.count < limits.fields else { throw .headTooLarge }
            head.fields.append(field)
            try framing.note(field, bytes, &head)
        }
        try framing.finish(&head, limits)
    }

    /// Reads `name: value CR LF`.
    private static func readField(
        _ bytes: UnsafeBufferPointer<UInt8>, _ offset: inout Int
    ) throws(RequestError) -> Head.Field {
        let start = offset
        while unsafe bytes[offset].isToken { offset &+= 1 }
        // Also what a folded line, a line without a colon and a space before it run into.
        guard offset > start, unsafe bytes[offset] == 0x3A else { throw .malformedField }
        let name = Extent(start..<offset)
        offset &+= 1
        let value = offset
        while unsafe bytes[offset].isFieldText { offset &+= 1 }
        guard unsafe bytes[offset] == 0x0D else { throw .malformedField }
        let extent = unsafe Extent(bytes.trimmed(value..<offset))
        offset &+= 2
        return Head.Field(name: name, value: extent)
    }
}

/// The first line of a head. RFC 9112 §3
private struct RequestLine {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let start: Int
    private let limits: Limits
    /// After its line end.
    private(set) var end = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ limits: Limits) throws(RequestError) {
        unsafe self.bytes = unsafe bytes
        self.start = start
        self.limits = limits
    }

    mutating func read(into head: inout Head) throws(RequestError) {
        var offset = start
        while unsafe bytes[offset].isToken { offset &+= 1 }
        guard offset > start, unsafe bytes[offset] == 0x20 else { throw .malformedRequestLine }
        let method = Extent(start..<offset)
        offset &+= 1
        let target = offset
        while unsafe bytes[offset].isVisible { offset &+= 1 }
        guard offset - target <= limits.targetBytes else { throw .targetTooLong }
        guard offset > target, unsafe bytes[offset] == 0x20 else { throw .malformedRequestLine }
        head.target = Extent(target..<offset)
        head.minor = try readVersion(offset &+ 1)
        try readMethod(method, &head)
        try readTarget(&head)
    }

    /// `HTTP/` DIGIT `.` DIGIT and the end of the line.
    private mutating func readVersion(_ start: Int) throws(RequestError) -> UInt8 {
        var stop = start
        while unsafe bytes[stop] != 0x0D { stop &+= 1 }
        let version = Extent(start..<stop)
        end = stop &+ 2
        guard version.count == 8, unsafe bytes.equals("HTTP/", at: Extent(start..<start &+ 5)),
            unsafe bytes[start &+ 5].isDigit, unsafe bytes[start &+ 6] == 0x2E,
            unsafe bytes[start &+ 7].isDigit
        else { throw .malformedRequestLine }
        guard unsafe bytes[start &+ 5] == 0x31 else { throw .unsupportedVersion }
        return unsafe bytes[start &+ 7] == 0x30 ? 0 : 1
    }

    private func readMethod(_ extent: Extent, _ head: inout Head) throws(RequestError) {
        // The most frequent first; comparing is cheaper than making a string to look up.
        if unsafe bytes.equals("POST", at: extent) {
            head.method = .post
        } else if unsafe bytes.equals("GET", at: extent) {
            head.method = .get
        } else if let method = unsafe Method(rawValue: bytes.text(at: extent)) {
            head.method = method
        } else {
            throw .unknownMethod
        }
    }

    private func readTarget(_ head: inout Head) throws(RequestError) {
        let range = head.target.range
        if unsafe bytes.equals("*", at: head.target) {
            guard head.method == .options else { throw .malformedTarget }
            head.path = head.target
            return
        }
        var start = range.lowerBound
        if unsafe bytes[start] != 0x2F {
            // Absolute form: what a proxy is sent. Its authority wins over Host and names nobody but us.
            guard range.count > 7, unsafe bytes.spells("http://", at: Extent(start..<start &+ 7)) else {
                throw .malformedTarget
            }
            let authority = start &+ 7
            start = authority
            while start < range.upperBound, unsafe bytes[start] != 0x2F, unsafe bytes[start] != 0x3F {
                start &+= 1
            }
            guard unsafe Framing.isHost(bytes, authority..<start), start > authority else {
                throw .malformedTarget
            }
        }
        var mark = start
        while mark < range.upperBound, unsafe bytes[mark] != 0x3F {
            guard unsafe bytes[mark] != 0x23 else { throw .malformedTarget }
            mark &+= 1
        }
        head.path = Extent(start..<mark)
        guard mark < range.upperBound else { return }
        for index in mark..<range.upperBound where unsafe bytes[index] == 0x23 { throw .malformedTarget }
        head.query = Extent(mark &+ 1..<range.upperBound)
    }
}

/// Gathers from the fields what decides where the message ends and whether the connection stays.
private struct Framing {
    private var length: Int?
    private var isChunked = false
    private var hasHost = false

    mutating func note(
        _ field: Head.Field, _ bytes: UnsafeBufferPointer<UInt8>, _ head: inout Head
    ) throws(RequestError) {
        switch field.name.count {
        case 4 where unsafe bytes.spells("host", at: field.name):
            guard !hasHost, unsafe Self.isHost(bytes, field.value.range) else { throw .invalidHost }
            hasHost = true
        case 6 where unsafe bytes.spells("expect", at: field.name):
            guard unsafe bytes.spells("100-continue", at: field.value) else {
                if head.minor == 0 { return }
                throw .unknownExpectation
            }
            // RFC 9110 §10.1.1: HTTP/1.0 does not know it.
            head.expectsContinue = head.minor > 0
        case 10 where unsafe bytes.spells("connection", at: field.name):
            unsafe noteConnection(field.value.range, bytes, &head)
        case 14 where unsafe bytes.spells("content-length", at: field.name):
            guard length == nil else { throw .invalidContentLength }
            length = try unsafe Self.length(bytes, field.value.range)
        case 16 where unsafe bytes.spells("content-encoding", at: field.name):
            if unsafe bytes.spells("gzip", at: field.value) || bytes.spells("x-gzip", at: field.value) {
                guard !head.isGzip else { throw .unsupportedContentCoding }
                head.isGzip = true
            } else if unsafe !bytes.spells("identity", at: field.value) {
                throw .unsupportedContentCoding
            }
        case 17 where unsafe bytes.spells("transfer-encoding", at: field.name):
            guard head.minor > 0 else { throw .ambiguousLength }
            guard !isChunked, unsafe bytes.spells("chunked", at: field.value) else {
                throw .unsupportedTransferCoding
            }
            isChunked = true
        default: break
        }
    }

    /// - Returns: the number, all of whose digits are digits.
    private static func length(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) throws(RequestError) -> Int {
        // 15 digits are a pebibyte and cannot overflow.
        guard !range.isEmpty else { throw .invalidContentLength }
        var value = 0
        for index in range {
            guard unsafe bytes[index].isDigit else { throw .invalidContentLength }
            guard range.count <= 15 else { continue }
            value = unsafe value &* 10 &+ Int(bytes[index] &- 0x30)
        }
        return range.count <= 15 ? value : .max
    }

    /// RFC 9112 §9.3: `close` wins; HTTP/1.0 closes unless it asks to be kept.
    private func noteConnection(
        _ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>, _ head: inout Head
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            var stop = start
            while stop < range.upperBound, unsafe bytes[stop] != 0x2C { stop &+= 1 }
            let option = unsafe Extent(bytes.trimmed(start..<stop))
            if unsafe bytes.spells("close", at: option) { head.asksToClose = true }
            if unsafe bytes.spells("keep-alive", at: option) { head.asksToKeep = true }
            start = stop &+ 1
        }
    }

    func finish(_ head: inout Head, _ limits: Limits) throws(RequestError) {
        guard hasHost || head.minor == 0 else { throw .invalidHost }
        guard !(isChunked && length != nil) else { throw .ambiguousLength }
        head.keepsAlive = !head.asksToClose && (head.minor > 0 || head.asksToKeep)
        if isChunked {
            head.framing = .chunked
        } else if let length, length > 0 {
            guard length <= limits.bodyBytes else { throw .bodyTooLarge }
            head.framing = .length(length)
        }
    }

    /// `uri-host [":" port]`, without user. RFC 9110 §7.2. An empty one is allowed by RFC 9112 §3.2 for targets without
    /// authority; no client of ours sends it, and it is taken.
    static func isHost(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
        var offset = range.lowerBound
        if offset < range.upperBound, unsafe bytes[offset] == 0x5B {
            offset &+= 1
            let start = offset
            while offset < range.upperBound, unsafe bytes[offset].isHostInBrackets { offset &+= 1 }
            guard offset > start, offset < range.upperBound, unsafe bytes[offset] == 0x5D else {
                return false
            }
            offset &+= 1
        } else {
            while offset < range.upperBound, unsafe bytes[offset].isHostName { offset &+= 1 }
        }
        guard offset < range.upperBound else { return true }
        guard unsafe bytes[offset] == 0x3A else { return false }
        let digits = offset &+ 1..<range.upperBound
        return unsafe digits.count <= 5 && digits.allSatisfy { unsafe bytes[$0].isDigit }
    }
}

extension UInt8 {
    /// Unreserved, percent and sub-delims of RFC 3986 §3.2.2, without the comma that would make a list.
    fileprivate var isHostName: Bool {
        isToken && self != 0x23 && self != 0x5E && self != 0x60 && self != 0x7C
            || self == 0x28 || self == 0x29 || self == 0x3B || self == 0x3D
    }

    fileprivate var isHostInBrackets: Bool { hexadecimalValue != nil || self == 0x3A || self == 0x2E }
}
