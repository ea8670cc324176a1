/// A secret that is shown once and stored as a hash: an ingest key, an access token, a sign-in code, a session.
///
/// 240 random bits in 40 characters of Base64's URL alphabet, which survive headers, links and copying by a double click
/// (no `=`; `-` and `_` occur).
struct Secret: Sendable {
    /// What people and programs present. Goes nowhere but to the one it is made for.
    let text: String

    /// Shorter secrets could be guessed. 16 characters hold 96 bits where they are random.
    static let shortest = 16
    static let longest = 256

    /// Makes a new one.
    static func random() throws(Randomness.Unavailable) -> Secret {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        // 6 bits of each byte: every character is as likely as any other.
        let characters = try Randomness.bytes(40).map { alphabet[Int($0 & 63)] }
        return Secret(text: String(decoding: characters, as: UTF8.self))
    }

    private init(text: String) { self.text = text }

    /// Takes a secret that an operator chose.
    ///
    /// - Throws: ``Unfit`` for one that is too short, too long or holds anything but visible ASCII.
    init(chosen text: String) throws(Unfit) {
        guard text.utf8.count >= Self.shortest else { throw .tooShort(text.utf8.count) }
        guard text.utf8.count <= Self.longest else { throw .tooLong(text.utf8.count) }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .notVisibleASCII }
        self.text = text
    }

    /// What is stored of it.
    var hash: [UInt8] { Self.hash(of: text) }

    /// The hash of whatever somebody presents. Plain SHA-256 is enough for secrets that are random: there is no
    /// dictionary to try.
    static func hash(of presented: String) -> [UInt8] {
        SHA256.hash(Array(presented.utf8))
    }

    enum Unfit: Error, CustomStringConvertible {
        case tooShort(Int)
        case tooLong(Int)
        case notVisibleASCII

        var description: String {
            switch self {
            case .tooShort(let count): "is \(count) characters, must be at least \(Secret.shortest)"
            case .tooLong(let count): "is \(count) characters, must be at most \(Secret.longest)"
            case .notVisibleASCII: "holds a space or a character outside ASCII"
            }
        }
    }
}
