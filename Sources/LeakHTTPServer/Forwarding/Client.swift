/// The client of a request: the peer of its connection, or who a trusted proxy says it is.
struct Client: Hashable, Sendable {
    /// `nil` when nothing is known of the peer.
    var address: IPAddress?
    /// Indicates whether the address comes from a field of a trusted proxy.
    var isForwarded = false
    /// Indicates whether a trusted proxy says that the client reached it over TLS.
    var usesTLS = false
}

/// The proxies whose `Forwarded` and `X-Forwarded-…` fields are believed.
struct TrustedProxies: Sendable {
    private let networks: [IPNetwork]

    init(_ networks: [IPNetwork] = []) { self.networks = networks }

    var isEmpty: Bool { networks.isEmpty }

    func contain(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// The values of the fields that a request may carry, in the order of their lines.
    struct Fields {
        var forwarded: [[UInt8]] = []
        var forwardedFor: [[UInt8]] = []
        var forwardedProto: [[UInt8]] = []
    }

    /// The client of a request that came from a trusted proxy.
    ///
    /// A chain of proxies is walked from its end, where the nearest proxy wrote: the client is the first address that is
    /// no trusted proxy. What stands before it may be anybody's invention. Where an entry is no address (`unknown`, an
    /// obfuscated identifier, garbage), the client is the proxy that wrote the entry.
    ///
    /// A proxy that sets `X-Forwarded-For` usually passes on a `Forwarded` that the client invented, and the other way
    /// round: where both are there and differ, neither is believed.
    func client(of peer: IPAddress, _ fields: Fields) -> Client {
        var client = Client(address: peer)
        let elements = fields.forwarded.reversed().flatMap { ForwardedElements($0).reversed }
        let forwarded = chain(elements.map { $0?.address }, from: peer)
        let list = Self.entries(fields.forwardedFor).reversed().map { ForwardedElements.address($0) }
        let forwardedFor = chain(list, from: peer)
        let isBoth = !elements.isEmpty && !list.isEmpty
        guard !isBoth || forwarded.address == forwardedFor.address else { return client }
        let found = elements.isEmpty ? forwardedFor : forwarded
        client.address = found.address
        client.isForwarded = found.address != peer
        let protocols = Array(Self.entries(fields.forwardedProto).reversed())
        if elements.indices.contains(found.hops), let usesTLS = elements[found.hops]?.usesTLS {
            client.usesTLS = usesTLS
        } else if !protocols.isEmpty {
            client.usesTLS = ForwardedElements.isHTTPS(protocols[min(found.hops, protocols.count - 1)])
        }
        return client
    }

    /// - Parameter addresses: the nearest hop first; `nil` for an entry that is no address.
    /// - Returns: the client, and how many entries lie between it and the end of the chain.
    private func chain(_ addresses: some Sequence<IPAddress?>, from peer: IPAddress) -> (
        address: IPAddress, hops: Int
    ) {
        var client = peer
        var hops = 0
        for case let (index, address) in addresses.enumerated() {
            guard let address else { break }
            (client, hops) = (address, index)
            guard contain(address) else { break }
        }
        return (client, hops)
    }

    /// The entries of a list of fields, without blanks around them; empty ones do not count. RFC 9110 §5.6.1.2
    private static func entries(_ lines: [[UInt8]]) -> [ArraySlice<UInt8>] {
        lines.flatMap { $0.split(separator: UInt8(ascii: ",")) }.map { ForwardedElements.trimmed($0) }
            .filter { !$0.isEmpty }
    }
}
