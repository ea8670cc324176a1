/// The id of one event: a UUID without hyphens. https://develop.sentry.dev/sdk/foundations/transport/event-payloads/
enum EventID {
    /// - Returns: 32 lower-case hexadecimal digits, or `nil` if `text` is not a UUID.
    static func normalized(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 36 else { return nil }
        var digits = ""
        for byte in text.lowercased().utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                digits.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "-"): break
            default: return nil
            }
        }
        return digits.utf8.count == 32 ? digits : nil
    }
}
