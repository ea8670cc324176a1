/// A check of the text form of a UUID, RFC 9562 §4.
package enum UUIDText {
    // This is not generic, because a call of a generic function from another module is slow.
    package static func isUUID(_ text: UnsafeBufferPointer<UInt8>) -> Bool { unsafe hasUUIDForm(text) }

    package static func isUUID(_ text: Text) -> Bool { hasUUIDForm(text) }

    static func isUUID(_ text: String.UTF8View) -> Bool { hasUUIDForm(text) }

    private static func hasUUIDForm(_ text: some Collection<UInt8>) -> Bool {
        guard text.count == 36 else { return false }
        for (index, byte) in text.enumerated() {
            switch index {
            case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
            default: if !byte.isHexadecimal { return false }
            }
        }
        return true
    }
}
