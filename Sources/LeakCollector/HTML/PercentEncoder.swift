/// Percent-encoding for the query of a link: https://url.spec.whatwg.org/#application/x-www-form-urlencoded
enum PercentEncoder {
    /// Returns the encoded text: letters, digits and `-._~` unchanged, and every other byte as `%XX`.
    static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes += hexadecimal(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a file name for any text: like ``encode(_:)``, but with `=` in place of `%`, because a link would have to escape
    /// `%` again. Capitals are escaped too, for file systems that do not distinguish them from small letters. A leading dot is
    /// escaped, and the empty text becomes `=`. A name that is too long for a file system is cut and ends with a part of its
    /// hash.
    static func fileName(_ text: String) -> String {
        guard !text.isEmpty else { return "=" }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) && byte != UInt8(ascii: "~") && !isUppercase(byte)
                && !(bytes.isEmpty && byte == UInt8(ascii: "."))
            {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "="))
                bytes += hexadecimal(byte)
            }
        }
        if bytes.count > maxFileNameBytes {
            let hash = SHA256Hash.hash(Array(text.utf8)).prefix(16).flatMap(hexadecimal)
            // No escaped text contains `=-`, so the name cannot be that of another text.
            bytes = bytes.prefix(maxFileNameBytes - hash.count - 2) + Array("=-".utf8) + hash
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUppercase(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// Maximum bytes of a name. File systems allow 255, including the file extension.
    private static let maxFileNameBytes = 200

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
