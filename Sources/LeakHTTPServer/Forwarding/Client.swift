/// The client of a request: the peer of the connection, or the client that a trusted proxy names.
struct Client: Hashable, Sendable {
    /// The address; `nil` if it is unknown.
    var address: IPAddress?
    /// `true` if the address comes from a field set by a trusted proxy.
    var isForwarded = false
    /// `true` if a trusted proxy says that the client reached it over TLS.
    var usesTLS = false
    /// `true` if the peer of the connection is a trusted proxy.
    var isBehindProxy = false
}

/// The proxies whose `Forwarded`, `X-Forwarded-For` and `X-Forwarded-Proto` fields are trusted.
struct TrustedProxies: Sendable {
    private let networks: [IPNetwork]

    init(_ networks: [IPNetwork] = []) { self.networks = networks }

    var isEmpty: Bool { networks.isEmpty }

    func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// The values of the forwarding fields of a request, in the order of their lines.
    struct Fields {
        var forwarded: [[UInt8]] = []
        var forwardedFor: [[UInt8]] = []
        var forwardedProto: [[UInt8]] = []
    }

    /// Returns the client of a request that came from a trusted proxy.
    ///
    /// The chain of proxies is read from its end, which the nearest proxy wrote. The client is the first address that is not a
    /// trusted proxy, because every entry before it may be forged. If an entry is not an address (`unknown`, an obfuscated
    /// identifier or other text), the client is the proxy that wrote the entry.
    ///
    /// A proxy that sets `X-Forwarded-For` usually passes on a `Forwarded` field forged by the client, and the other way round. If
    /// both fields are present and differ, both are ignored.
    func client(of peer: IPAddress, _ fields: Fields) -> Client {
        var client = Client(address: peer)
        let elements = fields.forwarded.reversed().flatMap { ForwardedElements($0).elementsLastFirst }
        let forwardedClient = findClient(elements.map { $0?.address }, from: peer)
        let forwardedForAddresses = Self.entries(fields.forwardedFor).reversed().map {
            ForwardedElements.address($0)
        }
        let forwardedForClient = findClient(forwardedForAddresses, from: peer)
        let hasBoth = !elements.isEmpty && !forwardedForAddresses.isEmpty
        guard !hasBoth || forwardedClient.address == forwardedForClient.address else { return client }
        let result = elements.isEmpty ? forwardedForClient : forwardedClient
        client.address = result.address
        client.isForwarded = result.address != peer
        let protocols = Array(Self.entries(fields.forwardedProto).reversed())
        if elements.indices.contains(result.hops), let usesTLS = elements[result.hops]?.usesTLS {
            client.usesTLS = usesTLS
        } else if !protocols.isEmpty {
            client.usesTLS = ForwardedElements.isHTTPS(protocols[min(result.hops, protocols.count - 1)])
        }
        return client
    }

    /// Finds the client in a chain of proxies.
    ///
    /// - Parameters:
    ///   - addresses: the addresses, nearest hop first; `nil` for an entry that is not an address.
    ///   - peer: the proxy that sent the request.
    /// - Returns: the client and the number of entries between it and the end of the chain.
    private func findClient(_ addresses: some Sequence<IPAddress?>, from peer: IPAddress) -> (
        address: IPAddress, hops: Int
    ) {
        var client = peer
        var hops = 0
        for case let (index, address) in addresses.enumerated() {
            guard let address else { break }
            (client, hops) = (address, index)
            guard contains(address) else { break }
        }
        return (client, hops)
    }

    /// Returns the entries of list fields, trimmed and without empty entries. RFC 9110 §5.6.1.2
    private static func entries(_ lines: [[UInt8]]) -> [ArraySlice<UInt8>] {
        lines.flatMap { $0.split(separator: UInt8(ascii: ",")) }.map { ForwardedElements.trimmed($0) }
            .filter { !$0.isEmpty }
    }
}
