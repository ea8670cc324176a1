/// Finds the end of a head in bytes that arrive in any pieces, looking at each byte once.
struct HeadScanner {
    /// Bytes looked at.
    private(set) var offset = 0
    /// Of the four bytes CR LF CR LF, how many have just been seen.
    private var matched = 0
    /// Empty lines before the request line: RFC 9112 §2.2 wants one ignored; old clients send one after a body.
    private var leadingBytes = 0
    private static let leadingLines = 2

    /// Looks at what has come since.
    ///
    /// - Parameter bytes: everything of this request so far.
    /// - Returns: the range of the head, its empty line included, or `nil` while it is not whole.
    /// - Throws: at once for what can never become a head, so that nobody waits for the rest of it.
    mutating func scan(
        _ bytes: UnsafeBufferPointer<UInt8>, limit: Int
    ) throws(RequestError) -> Range<Int>? {
        while offset < bytes.count {
            let byte = unsafe bytes[offset]
            offset &+= 1
            if byte >= 0x20 {
                guard matched & 1 == 0, byte != 0x7F else { throw .strayControl }
                matched = 0
                continue
            }
            switch byte {
            case 0x0D where matched & 1 == 0: matched &+= 1
            case 0x0A where matched & 1 == 1: matched &+= 1
            case 0x09 where matched & 1 == 0: matched = 0
            default: throw .strayControl
            }
            guard byte == 0x0A else { continue }
            if offset == leadingBytes &+ 2 {
                // The line that ended is empty, and nothing stood before it.
                leadingBytes = offset
                matched = 0
                guard leadingBytes <= 2 * Self.leadingLines else { throw .strayControl }
            } else if matched == 4 {
                guard offset - leadingBytes <= limit else { throw .headTooLarge }
                return leadingBytes..<offset
            }
        }
        guard bytes.count - leadingBytes <= limit else { throw .headTooLarge }
        return nil
    }
}
