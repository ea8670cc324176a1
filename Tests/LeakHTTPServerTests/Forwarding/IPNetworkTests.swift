import Testing

@testable import LeakHTTPServer

@Suite struct IPNetworkTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("127.0.0.1", "127.0.0.1", true),
        ("127.0.0.1", "127.0.0.2", false), ("192.168.4.0/22", "192.168.7.255", true),
        ("192.168.4.0/22", "192.168.8.0", false), ("0.0.0.0/0", "203.0.113.9", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("fd00::/8", "fdff::1", true), ("fd00::/8", "fc00::1", false),
        ("2001:db8:0:1::/64", "2001:db8:0:1:ffff::", true), ("2001:db8:0:1::/64", "2001:db8:0:2::", false),
        ("2001:db8::/33", "2001:db8:8000::", false), ("::/0", "2001:db8::1", true),
        ("::/0", "192.0.2.1", false),
        ("::1", "::1", true), ("::1/128", "::2", false), ("::ffff:10.0.0.0/104", "10.9.9.9", true),
        ("2001:db8::/127", "2001:db8::1", true), ("2001:db8::/127", "2001:db8::2", false),
    ])
    func `a network contains the addresses of its range and family`(
        network: String, address: String, isIn: Bool
    ) throws {
        #expect(try IPNetwork(network).contains(#require(IPAddress(address))) == isIn)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0/8",
        "10.1.0.0/8",
        "::/129", "fd00::1/8", "localhost", "10.0.0.1:80", "[::1]", "fe80::1%eth0", "*", "010.0.0.1",
        " 10.0.0.1",
        "::ffff:10.0.0.1/100", "10.0.0.0/99999999999999999999", "1\u{0}",
    ])
    func `an invalid IP network gives an error`(text: String) {
        #expect(throws: IPNetwork.Malformed.self) { try IPNetwork(text) }
    }

    @Test(arguments: ["0.0.0.0", "192.0.2.255", "::", "::1", "2001:db8::1", "fd00:0:1::f", "ffff::"])
    func `an IP address is written as it was read`(text: String) throws {
        #expect(try #require(IPAddress(text)).description == text)
    }
}
