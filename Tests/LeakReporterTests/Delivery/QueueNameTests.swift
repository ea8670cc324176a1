import Testing

@testable import LeakReporter

/// The name of the folder in which segments of one endpoint, key and app wait, and the SHA-256 hash in it.
@Suite struct QueueNameTests {
    /// Values of FIPS 180-4, by NIST: https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000),
            "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
        ),
    ]) func `SHA-256 hashes equal those of the standard`(text: String, digits: String) {
        let hash = SHA256.hash(Array(text.utf8)).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        #expect(hash.joined() == digits)
    }

    @Test func `SHA-256 hashes of texts of 0 to 200 bytes differ`() {
        let hashes = (0...200).map { SHA256.hash([UInt8](repeating: 97, count: $0)) }
        #expect(Set(hashes).count == hashes.count)
    }

    private func name(_ endpoint: String, _ key: String, _ app: String?) throws -> String {
        let endpoint = try CollectorAddress(endpoint, allowsInsecure: false)
        return RequestBuilder(endpoint: endpoint, key: key).queueName(appID: app)
    }

    @Test func `the name of a queue is formed from endpoint, key and app, and does not reveal the key`()
        throws
    {
        let name = try name("https://a.example", "secret-key", "com.acme.shop")
        for same in ["https://a.example/", "https://a.example:443", "HTTPS://A.Example/api/v1/reports"] {
            #expect(try name == self.name(same, "secret-key", "com.acme.shop"))
        }
        #expect(name.count == 32 && name.allSatisfy { $0.isHexDigit })
        let others = try [
            self.name("https://b.example", "secret-key", "com.acme.shop"),
            self.name("https://a.example", "secret-keY", "com.acme.shop"),
            self.name("https://a.example", "secret-key", "com.acme.shop2"),
            self.name("https://a.example", "secret-key", nil),
        ]
        #expect(Set(others + [name]).count == 5)
    }
}
