internal import CLeakCrypto

/// Base64 with padding, RFC 4648 §4, by libcrypto.
enum Base64 {
    static func encoded(_ bytes: [UInt8]) -> String {
        let text = unsafe [UInt8](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4 + 1) { text, count in
            count = unsafe bytes.withUnsafeBufferPointer { bytes in
                // The function also writes a zero byte, which `count` leaves out.
                unsafe Int(EVP_EncodeBlock(text.baseAddress, bytes.baseAddress, Int32(bytes.count)))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a text; `nil` if it is not base64. The padding may be missing.
    static func decoded(_ text: String) -> [UInt8]? {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.utf8.count - digits.count
        guard !digits.isEmpty, digits.count % 4 != 1, padding == 0 || (digits.count + padding) % 4 == 0,
            padding <= 2
        else { return nil }
        let missing = (4 - digits.count % 4) % 4
        let padded = Array(digits) + Array(repeating: UInt8(ascii: "="), count: missing)
        var isValid = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: padded.count / 4 * 3) { bytes, count in
            let result = unsafe padded.withUnsafeBufferPointer { padded in
                unsafe EVP_DecodeBlock(bytes.baseAddress, padded.baseAddress, Int32(padded.count))
            }
            isValid = result >= 0
            // The function counts a zero byte for each character of padding.
            count = isValid ? Int(result) - missing : 0
        }
        return isValid && encoded(bytes) == String(decoding: padded, as: UTF8.self) ? bytes : nil
    }
}

extension SHA256Hash {
    /// Returns the message authentication code of RFC 2104 with SHA-256.
    ///
    /// - Returns: 32 bytes.
    static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { code, count in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe key.withUnsafeBufferPointer { key in
                    _ = unsafe HMAC(
                        EVP_sha256(), key.baseAddress, Int32(key.count), bytes.baseAddress, bytes.count,
                        code.baseAddress, nil)
                }
            }
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }
}
