internal import CLeakCrypto
internal import LeakPlatform

/// A secret that is shown once and stored as a hash: an ingest key, an access token, a sign-in code, a session.
///
/// A random secret has 238 random bits in 40 letters and digits. These survive headers, links, copying by a double
/// click, and the DSN of every Sentry SDK: the SDK for JavaScript accepts only letters, digits and `_`.
/// https://github.com/getsentry/sentry-javascript/blob/develop/packages/core/src/utils/dsn.ts
struct Secret: Sendable {
    /// The secret as people and programs present it. It is shown only to the recipient it is made for.
    let text: String

    /// Minimum length in characters. Shorter secrets could be guessed. 16 random letters and digits hold 95 bits.
    static let minLength = 16
    static let maxLength = 256

    /// Creates a random secret.
    static func random() throws(SecureRandom.Unavailable) -> Secret {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var characters: [UInt8] = []
        while characters.count < 40 {
            // 6 bits of each byte select a character. Two of the 64 values are rejected, so that all characters are
            // equally likely.
            let indexes = try SecureRandom.bytes(40).map { Int($0 & 63) }.filter { $0 < alphabet.count }
            characters += indexes.prefix(40 - characters.count).map { alphabet[$0] }
        }
        return Secret(text: String(decoding: characters, as: UTF8.self))
    }

    private init(text: String) { self.text = text }

    /// Creates a secret from a text that an operator chose.
    ///
    /// - Throws: ``Invalid`` if the text is too short, too long or holds a character that is not visible ASCII.
    init(chosen text: String) throws(Invalid) {
        guard text.utf8.count >= Self.minLength else { throw .tooShort(length: text.utf8.count) }
        guard text.utf8.count <= Self.maxLength else { throw .tooLong(length: text.utf8.count) }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .notVisibleASCII }
        self.text = text
    }

    /// The hash that is stored in place of the secret.
    var hash: [UInt8] { Self.hash(of: text) }

    /// Returns the hash of a presented secret. Plain SHA-256 is enough for random secrets, because there is no
    /// dictionary to try.
    static func hash(of secret: String) -> [UInt8] {
        SHA256Hash.hash(Array(secret.utf8))
    }

    /// Error for a text that cannot be a secret.
    enum Invalid: Error, CustomStringConvertible {
        case tooShort(length: Int)
        case tooLong(length: Int)
        case notVisibleASCII

        var description: String {
            switch self {
            case .tooShort(let count):
                "is \(countText(count, of: "character")), must be at least \(Secret.minLength)"
            case .tooLong(let count):
                "is \(countText(count, of: "character")), must be at most \(Secret.maxLength)"
            case .notVisibleASCII: "holds a space, a control character or a character outside ASCII"
            }
        }
    }
}

/// SHA-256 of FIPS 180-4, computed by libcrypto.
enum SHA256Hash {
    /// Returns the hash of some bytes.
    ///
    /// - Returns: 32 bytes.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { digest, count in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                _ = unsafe CLeakCrypto.SHA256(bytes.baseAddress, bytes.count, digest.baseAddress)
            }
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }
}

/// Comparison whose duration does not depend on how many bytes of two byte strings are equal.
enum ConstantTime {
    /// Returns true if two byte strings have the same length and bytes.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                unsafe CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
            }
        }
    }
}

/// Random bytes for secrets, from libcrypto's generator.
enum SecureRandom {
    /// Returns random bytes.
    ///
    /// - Returns: `count` bytes that no one can guess.
    /// - Throws: ``Unavailable`` if the system provides no entropy. No secret may be created then.
    static func bytes(_ count: Int) throws(Unavailable) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe RAND_bytes(buffer.baseAddress, Int32(buffer.count))
        }
        guard filled == 1 else { throw Unavailable() }
        return bytes
    }

    struct Unavailable: Error, CustomStringConvertible {
        var description: String {
            "the system cannot give random bytes for a new secret now; try again in a moment"
        }
    }
}
