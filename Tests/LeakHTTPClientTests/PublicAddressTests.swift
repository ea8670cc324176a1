#if os(Linux)
    import Glibc
    import Testing

    @testable import LeakHTTPClient

    /// Addresses that a client with ``CurlClient/Options/requiresPublicAddress`` connects to.
    @Suite struct PublicAddressTests {
        private func bytes(_ text: String) throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 16)
            let family = text.contains(":") ? AF_INET6 : AF_INET
            try #require(unsafe inet_pton(family, text, &bytes) == 1)
            return Array(bytes.prefix(family == AF_INET6 ? 16 : 4))
        }

        @Test(arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.0.1",
            "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1",
            "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::7f00:1",
            "64:ff9b::a00:1", "64:ff9b:1::1", "100::1", "fc00::1", "fd12::1", "fe80::1", "fec0::1",
            "ff02::1", "2001::1", "2001:db8::1", "2002:a00:1::1", "3fff::1",
        ])
        func `an address of a special network is not public`(text: String) throws {
            #expect(try !PublicAddress.contains(bytes: bytes(text)))
        }

        @Test(arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.0.0.1",
            "128.0.0.1", "169.253.0.1", "172.15.0.1", "172.32.0.1", "192.167.0.1", "198.17.0.1",
            "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2001:4860:4860::8888", "2a00:1450::1",
            "::ffff:8.8.8.8", "64:ff9b::808:808",
        ])
        func `any other address is public`(text: String) throws {
            #expect(try PublicAddress.contains(bytes: bytes(text)))
        }

        @Test(arguments: [
            "http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://[::1]:PORT/", "http://0:PORT/",
            "http://2130706433:PORT/", "http://0x7f.1:PORT/", "http://[::ffff:127.0.0.1]:PORT/",
        ])
        func `a client that requires public addresses reaches no server of this machine`(
            address: String
        ) throws {
            let peer = try LoopbackPeer { _ in .sendAndClose("HTTP/1.1 204 No Content\r\n\r\n") }
            defer { peer.stop() }
            var options = CurlClient.Options()
            options.usesProxy = false
            options.requiresPublicAddress = true
            let client = try CurlClient(options)
            let url = address.replacing("PORT", with: "\(peer.port)")
            let error = try #require(throws: CurlError.self) { try client.get(url) }
            #expect(error.cause == .addressNotPublic, "\(error)")
            #expect(peer.requests.isEmpty)
        }
    }
#endif
