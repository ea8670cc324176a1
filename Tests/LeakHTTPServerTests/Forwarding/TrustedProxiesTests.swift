import LeakSeededRandom
import Testing

@testable import LeakHTTPServer

@Suite struct TrustedProxiesTests {
    private static let peer = "10.0.0.1"

    private func client(
        forwarded: [String] = [], forwardedFor: [String] = [], proto: [String] = []
    ) throws -> (address: String?, usesTLS: Bool) {
        let proxies = TrustedProxies([try IPNetwork("10.0.0.0/8"), try IPNetwork("fd00::/8")])
        var fields = TrustedProxies.Fields()
        fields.forwarded = forwarded.map { Array($0.utf8) }
        fields.forwardedFor = forwardedFor.map { Array($0.utf8) }
        fields.forwardedProto = proto.map { Array($0.utf8) }
        let client = proxies.client(of: try #require(IPAddress(Self.peer)), fields)
        #expect(client.isForwarded == (client.address?.description != Self.peer))
        return (client.address?.description, client.usesTLS)
    }

    @Test(arguments: [
        ([], peer), (["203.0.113.7"], "203.0.113.7"), (["1.1.1.1, 203.0.113.7"], "203.0.113.7"),
        (["1.1.1.1, 203.0.113.7, 10.2.3.4"], "203.0.113.7"),
        (["1.1.1.1", "203.0.113.7", "10.2.3.4"], "203.0.113.7"),
        (["10.9.9.9, 10.2.3.4"], "10.9.9.9"), (["203.0.113.7:4711"], "203.0.113.7"),
        (["2001:db8::7"], "2001:db8::7"), (["[2001:db8::7]"], "2001:db8::7"),
        (["[2001:db8::7]:443"], "2001:db8::7"), (["2001:DB8:0::7, fd00::2"], "2001:db8::7"),
        (["::ffff:203.0.113.7"], "203.0.113.7"), ([" \t203.0.113.7\t ,, ,"], "203.0.113.7"),
        // If an entry is not an address, the client is the proxy that wrote it.
        (["1.1.1.1, garbage"], peer), (["1.1.1.1, unknown, 10.2.3.4"], "10.2.3.4"), (["-"], peer),
        (["1.1.1.1, \"203.0.113.7\""], peer), (["203.0.113.7:x"], peer), (["[203.0.113.7]"], peer),
        (["[2001:db8::7"], peer), (["fe80::1%eth0"], peer), (["203.0.113.256"], peer),
        (["1.1.1.1, \u{600}"], peer), (["127.1"], peer), (["203.0.113.7:999999"], peer),
        ([String(repeating: ",", count: 9000)], peer), ([String(repeating: "1", count: 9000)], peer),
    ])
    func `the client is the last address in X-Forwarded-For that is not a trusted proxy`(
        lines: [String], address: String
    ) throws {
        #expect(try client(forwardedFor: lines).address == address)
    }

    @Test(arguments: [
        (["for=203.0.113.7"], "203.0.113.7", false), (["For=203.0.113.7;Proto=https"], "203.0.113.7", true),
        (["for=\"203.0.113.7:4711\""], "203.0.113.7", false),
        (["for=203.0.113.7:4711"], "203.0.113.7", false),
        (["for=\"[2001:db8::7]\""], "2001:db8::7", false),
        (["for=\"[2001:db8::7]:_port\";proto=\"HTTPS\""], "2001:db8::7", true),
        (["for=\"[2001:\\db8::7]\""], "2001:db8::7", false), (["for=[2001:db8::7]"], "2001:db8::7", false),
        (["for=1.1.1.1, for=203.0.113.7;proto=https, for=10.2.3.4;proto=http"], "203.0.113.7", true),
        (["for=1.1.1.1;proto=https", "for=203.0.113.7;by=10.0.0.1;host=\"a, b;c\""], "203.0.113.7", false),
        ([" for=203.0.113.7 ; proto=https ,"], "203.0.113.7", true),
        (["for=1.1.1.1, for=unknown"], peer, false), (["for=1.1.1.1, for=_hidden"], peer, false),
        (["for=1.1.1.1, for=\"_gazonk\", for=10.2.3.4"], "10.2.3.4", false),
        (["for=1.1.1.1, proto=https"], peer, true), (["by=203.0.113.7"], peer, false),
        // A quote that a client opened must not hide or replace the element that a proxy appended.
        (["for=\"9.9.9.9, for=203.0.113.7"], peer, false),
        (["for=9.9.9.9;x=\", for=\"[2001:db8::7]\""], peer, false),
        (["for=\"9.9.9.9", "for=203.0.113.7"], "203.0.113.7", false),
        (["for=\"9.9.9.9\\"], peer, false), (["for"], peer, false), (["="], peer, false),
        (["for="], peer, false),
        (["203.0.113.7"], peer, false), (["for=203.0.113.7 for=9.9.9.9"], peer, false),
        (["for=203.0.113.7@"], peer, false), (["\u{600},for=203.0.113.7"], peer, false),
        ([";;;,,,"], peer, false),
        ([""], peer, false),
    ])
    func `the client is the last address in Forwarded that is not a trusted proxy`(
        lines: [String], address: String, usesTLS: Bool
    ) throws {
        let found = try client(forwarded: lines)
        #expect(found.address == address)
        #expect(found.usesTLS == usesTLS)
    }

    @Test func `if Forwarded and X-Forwarded-For name different clients, the client is the proxy itself`()
        throws
    {
        #expect(
            try client(forwarded: ["for=203.0.113.7"], forwardedFor: ["203.0.113.7"]).address == "203.0.113.7"
        )
        #expect(try client(forwarded: ["for=9.9.9.9"], forwardedFor: ["203.0.113.7"]).address == Self.peer)
        #expect(try client(forwarded: ["for=_x"], forwardedFor: ["203.0.113.7"]).address == Self.peer)
        #expect(try client(forwarded: ["\""], forwardedFor: ["203.0.113.7"]).address == Self.peer)
    }

    @Test(arguments: [
        (["https"], true), (["HTTPS"], true), (["http"], false), ([], false), (["on"], false),
        // With one value for each proxy, the client's value is at the same position as its address.
        (["http, https, http"], true), (["http", "https", "http"], true), (["http, http"], false),
    ])
    func `the value of X-Forwarded-Proto at the position of the client says whether the client used TLS`(
        lines: [String], usesTLS: Bool
    ) throws {
        #expect(try client(forwardedFor: ["1.1.1.1, 203.0.113.7, 10.2.3.4"], proto: lines).usesTLS == usesTLS)
    }

    @Test func `no value of Forwarded or the X-Forwarded fields crashes their parser`() throws {
        var random = SeededRandom(seed: 5)
        let alphabet = Array("for=proto;by,\"\\[]:._% \t19aF\u{0}\u{7F}\u{600}é".utf8)
        for _ in 0..<5_000 {
            func text() -> [UInt8] {
                (0..<Int(random.next() % 40)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))]
                }
            }
            var fields = TrustedProxies.Fields()
            fields.forwarded = (0..<Int(random.next() % 3)).map { _ in text() }
            fields.forwardedFor = (0..<Int(random.next() % 3)).map { _ in text() }
            fields.forwardedProto = (0..<Int(random.next() % 3)).map { _ in text() }
            let proxies = TrustedProxies([try IPNetwork("0.0.0.0/0"), try IPNetwork("::/0")])
            #expect(proxies.client(of: IPAddress(v4: 1), fields).address != nil)
        }
    }
}
