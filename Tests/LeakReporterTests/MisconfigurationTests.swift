import Testing

@testable import LeakReporter

/// Pins of public keys that cannot be used. Endpoint and key have separate tests.
@Suite struct MisconfigurationTests {
    private static let pin = "sha256//" + String(repeating: "Ab0/", count: 10) + "Ab0="

    private func problem(
        _ pins: [String], endpoint: String = "https://leaks.example.com",
        _ pinVerifier: PinVerifier = .byConfiguration
    ) -> Misconfiguration? {
        var configuration = LeakReporter.Configuration(endpoint: endpoint, key: "k")
        configuration.pinnedPublicKeys = pins
        do throws(Misconfiguration) {
            _ = try RequestBuilder(configuration, pinVerifier: pinVerifier)
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `pins of the right form are accepted, and an empty list of pins is accepted for every endpoint`() {
        #expect(problem([Self.pin, Self.pin]) == nil)
        #expect(problem([Self.pin], endpoint: "HTTPS://leaks.example.com") == nil)
        #expect(problem([]) == nil)
        #expect(problem([], endpoint: "http://localhost") == nil)
        #expect(problem([], .byInfoPlist) == nil)
    }

    @Test(arguments: [
        "", "sha256//", String(pin.dropFirst(8)), "sha256/" + pin.dropFirst(8), "SHA256//" + pin.dropFirst(8),
        String(pin.dropLast()), pin + "=", pin + "\n", " " + pin, pin + ";" + pin, "/etc/ssl/key.pem",
        "sha256//" + String(repeating: "A", count: 44), "sha256//" + String(repeating: "A", count: 42) + "B=",
        "sha256//" + String(repeating: "-", count: 42) + "A=", "sha256//" + String(repeating: "é", count: 22),
    ])
    func `the error about an invalid pin names the pin`(text: String) throws {
        let problem = try #require(self.problem([Self.pin, text]))
        #expect(problem == .malformedPin(pin: text))
        #expect(problem.description.contains(text.prefix(100).debugDescription))
        #expect(problem.description.contains("openssl"))
    }

    @Test func `a pin for an endpoint without TLS is rejected`() {
        let problem = self.problem([Self.pin], endpoint: "http://localhost:8080")
        #expect(problem == .pinWithoutTLS)
        #expect(problem?.description.contains("use https://") == true)
    }

    @Test func `with URLSession the error about a pin names NSPinnedDomains`() {
        let problem = self.problem([Self.pin], .byInfoPlist)
        #expect(problem == .pinOfAnotherPlatform)
        #expect(problem?.description.contains("NSPinnedDomains") == true)
    }

    @Test func `a misconfiguration shows in the statistics, and nothing is sent`() {
        var configuration = LeakReporter.Configuration(endpoint: "https://leaks.example.com", key: "k")
        configuration.pinnedPublicKeys = ["sha256/short"]
        let transport = FakeTransport { _, _ in FakeTransport.accepted() }
        let reporter = LeakReporter(configuration) { transport }
        reporter.record(message: "a leak")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.lastFailure?.contains("sha256/short") == true)
        #expect(transport.posts.isEmpty)
    }
}
