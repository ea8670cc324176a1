/// The reason why a configuration cannot be used. The description says how to correct it.
enum Misconfiguration: Error, Hashable, Sendable, CustomStringConvertible {
    case endpoint(CollectorAddress.Problem)
    case emptyKey
    case malformedKey
    case relativeFolder(path: String)
    case unavailableAppGroup(identifier: String)
    case malformedPin(pin: String)
    /// The configuration has pins, but the endpoint is `http://`.
    case pinWithoutTLS
    /// The configuration has pins, but the transport is `URLSession`.
    case pinOfAnotherPlatform

    var description: String {
        switch self {
        case .endpoint(let problem): "Nothing is sent: \(problem)"
        case .emptyKey: "Nothing is sent: the key is empty. `collector key create` prints an ingest key"
        case .malformedKey:
            "Nothing is sent: the key has spaces, line ends or other characters that are not allowed. Copy it again"
        case .relativeFolder(let path):
            "Nothing is kept or sent: the folder \(path.prefix(200).debugDescription) is not an absolute path. "
                + "Give one that begins with /"
        case .unavailableAppGroup(let identifier):
            "Nothing is kept or sent: this process has no app group \(identifier.prefix(200).debugDescription). Add it to the "
                + "entitlements of the app and of each extension; on Linux, use consentStorage = .folder(path)"
        case .malformedPin(let text):
            "Nothing is sent: \(text.prefix(100).debugDescription) in pinnedPublicKeys is not a pin: give sha256// "
                + "and the 44 characters of base64 that openssl prints, as the documentation of pinnedPublicKeys shows"
        case .pinWithoutTLS:
            "Nothing is sent: pinnedPublicKeys is set, but an http:// endpoint has no public key: use https://, or "
                + "leave pinnedPublicKeys empty"
        case .pinOfAnotherPlatform:
            "Nothing is sent: pinnedPublicKeys works only on Linux: leave it empty and name the keys under "
                + "NSAppTransportSecurity, NSPinnedDomains in the app's Info.plist"
        }
    }
}

/// The component that compares the collector's public key with the pinned keys.
enum PinVerifier: Hashable, Sendable {
    /// libcurl, with ``LeakReporter/Configuration/pinnedPublicKeys``.
    case byConfiguration
    /// `URLSession`, with `NSPinnedDomains`.
    /// https://developer.apple.com/documentation/bundleresources/information-property-list/nsapptransportsecurity
    case byInfoPlist

    static var ofThisPlatform: PinVerifier {
        #if os(Linux)
            byConfiguration
        #else
            byInfoPlist
        #endif
    }

    /// Validates the pins, so that a malformed pin is reported as malformed, and not as an untrusted collector.
    func validate(pins: [String], for endpoint: CollectorAddress) throws(Misconfiguration) {
        guard !pins.isEmpty else { return }
        guard self == .byConfiguration else { throw .pinOfAnotherPlatform }
        if let pin = pins.first(where: { !Self.isPin($0) }) { throw .malformedPin(pin: pin) }
        guard endpoint.address.lowercased().hasPrefix("https:") else { throw .pinWithoutTLS }
    }

    /// Returns `true` for `sha256//` and 32 bytes in base64 (RFC 4648 §4): 42 digits of six bits, a digit of four bits, and the
    /// padding. curl compares strings, so any other encoding of the bytes would not match.
    private static func isPin(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst(8)
        guard text.hasPrefix("sha256//"), digits.count == 44, digits.last == UInt8(ascii: "=") else {
            return false
        }
        return digits.dropLast().allSatisfy(base64Digits.contains)
            && digits.dropLast().last.map("AEIMQUYcgkosw048".utf8.contains) == true
    }

    private static let base64Digits = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}

extension RequestBuilder {
    init(
        _ configuration: LeakReporter.Configuration, pinVerifier: PinVerifier = .ofThisPlatform
    ) throws(Misconfiguration) {
        let endpoint: CollectorAddress
        do throws(CollectorAddress.Problem) {
            endpoint = try CollectorAddress(
                configuration.endpoint, allowsInsecure: configuration.allowsInsecure)
        } catch {
            throw .endpoint(error)
        }
        guard !configuration.key.isEmpty else { throw .emptyKey }
        // RFC 6750 §2.1 allows no other characters; all bytes that could end a header line are rejected.
        guard configuration.key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .malformedKey }
        try pinVerifier.validate(pins: configuration.pinnedPublicKeys, for: endpoint)
        self.init(endpoint: endpoint, key: configuration.key)
    }
}
