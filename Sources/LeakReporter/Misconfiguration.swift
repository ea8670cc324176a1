/// Why a configuration cannot be used, in words that say what to do.
enum Misconfiguration: Error, Hashable, Sendable, CustomStringConvertible {
    case endpoint(Endpoint.Problem)
    case emptyKey
    case malformedKey
    case relativeFolder(String)

    var description: String {
        switch self {
        case .endpoint(let problem): "Nothing is sent: \(problem)"
        case .emptyKey: "Nothing is sent: the key is empty. `collector key create` prints an ingest key"
        case .malformedKey:
            "Nothing is sent: the key has blanks, line ends or characters that no ingest key has. Copy it again"
        case .relativeFolder(let path):
            "Nothing is kept or sent: the folder \(path.prefix(200).debugDescription) is not an absolute path. "
                + "Give one that begins with /"
        }
    }
}

extension Envelope {
    init(_ configuration: LeakReporter.Configuration) throws(Misconfiguration) {
        let endpoint: Endpoint
        do throws(Endpoint.Problem) {
            endpoint = try Endpoint(configuration.endpoint, allowsInsecure: configuration.allowsInsecure)
        } catch {
            throw .endpoint(error)
        }
        guard !configuration.key.isEmpty else { throw .emptyKey }
        // RFC 6750 §2.1 allows no others; any byte that ends a header line is among those refused.
        guard configuration.key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .malformedKey }
        self.init(endpoint: endpoint, key: configuration.key)
    }
}
