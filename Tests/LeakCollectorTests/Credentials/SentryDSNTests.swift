import Testing

@testable import LeakCollector

@Suite struct SentryDSNTests {
    @Test(arguments: [
        ("http://localhost:8080", "abc", "http://abc@localhost:8080/7"),
        ("https://leaks.example.com", "A_b-c.~", "https://A_b-c.~@leaks.example.com/7"),
        ("http://[::1]:80", "k", "http://k@[::1]:80/7"),
    ])
    func `a DSN has the key before the host and the project after it`(
        address: String, key: String, dsn: String
    ) throws {
        let made = try #require(SentryDSN(address: address, key: key, project: 7))
        #expect(made.description == dsn)
        #expect(SentryDSN.key(of: dsn) == key)
    }

    @Test(arguments: ["", "a@b", "a:b", "a/b", "a?b", "a#b", "a%b", "a,b", "a b", "a=b", "schlüssel", "a\"b"])
    func `a key with characters that a Sentry SDK would misread in a DSN has no DSN`(key: String) {
        #expect(SentryDSN(address: "http://localhost", key: key, project: 7) == nil)
    }

    @Test(arguments: [
        ("https://abc:secret@host/1", "abc"), ("https://abc@host/path/1", "abc"),
        ("https://abc@host", "abc"), ("https://host/1", nil), ("https://@host/1", nil), ("abc@host/1", nil),
        ("", nil), ("https://host/a@b", nil), ("https://host?a@b", nil),
    ])
    func `the key of a received DSN is the user name of its URL`(dsn: String, key: String?) {
        #expect(SentryDSN.key(of: dsn) == key)
    }
}
