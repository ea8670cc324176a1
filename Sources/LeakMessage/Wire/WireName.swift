/// Rules of the wire format for names: of a class, an app, a version, a device, an install or a user.
public enum WireName {
    /// Returns the problem with `text` as the value of `field`, such as `version is 70 bytes, the limit is 64`; `nil` if the
    /// text is valid.
    public static func problem(in text: String, of field: String, atMost limit: Int) -> String? {
        let count = text.utf8.count
        if count > limit { return "\(field) is \(count) bytes, the limit is \(limit)" }
        return containsControlCharacter(text.utf8) ? "\(field) has a control character" : nil
    }

    /// Returns `true` if the text has a character of U+0000 to U+001F or U+007F to U+009F. These characters are invisible, and one of
    /// them separates the parts of a leak's key.
    // This is not generic, because a call of a generic function from another module is slow.
    package static func hasControlCharacter(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe containsControlCharacter(text)
    }

    package static func hasControlCharacter(_ text: [UInt8]) -> Bool { containsControlCharacter(text) }

    private static func containsControlCharacter(_ text: some Collection<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in text {
            if byte < 0x20 || byte == 0x7F || previous == 0xC2 && byte & 0xE0 == 0x80 { return true }
            previous = byte
        }
        return false
    }
}
