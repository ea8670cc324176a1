#if os(Linux)
    import Foundation
    import Testing

    @testable import LeakHTTPClient

    /// Tests of the servers that the client trusts. An untrusted server receives nothing of the request.
    @Suite struct TLSTests {
        struct Outcome: Sendable {
            let result: Result<HTTPResponse, CurlError>
            /// The output of the server.
            let output: String

            var error: CurlError? { if case .failure(let error) = result { error } else { nil } }
            var isAnswered: Bool { (try? result.get())?.body == Array("ok".utf8) }
            var showsTheRequest: Bool { output.contains("GET /") || output.contains("secret") }
        }

        /// Sends one request to a server, on a separate thread because the function waits for the server's process.
        static func ask(
            _ leaf: Certificates.Leaf, host: String = "localhost", server: [String] = [],
            _ change: @escaping @Sendable (inout CurlClient.Options, Certificates) throws -> Void = { _, _ in
            }
        ) async throws -> Outcome {
            try await onOwnThread {
                let certificates = try Certificates()
                let peer = try TLSPeer(certificates, leaf, arguments: server)
                var options = CurlClient.Options()
                options.caFile = certificates.authority
                try change(&options, certificates)
                let address = "https://\(host):\(peer.port ?? 0)/"
                let result: Result<HTTPResponse, CurlError>
                do throws(CurlError) {
                    let client = try CurlClient(options)
                    result = .success(
                        try client.get(address, fields: [HTTPField("Authorization", "Bearer secret")]))
                } catch {
                    result = .failure(error)
                }
                return Outcome(result: result, output: peer.output())
            }
        }

        @Test(arguments: ["localhost", "127.0.0.1"])
        func `a server with a certificate for the host is trusted`(host: String) async throws {
            let outcome = try await Self.ask(.valid, host: host)
            #expect(outcome.isAnswered, "\(outcome)")
            #expect(outcome.showsTheRequest)
        }

        /// The certificate, `true` if its authority is known, and a part of the expected message.
        @Test(arguments: [
            (Certificates.Leaf.valid, false, "certificate"), (.expired, true, "expired"),
            (.elsewhere, true, "localhost"),
        ])
        func `a server with an expired, foreign or unknown certificate is not trusted and gets no request`(
            leaf: Certificates.Leaf, isAuthorityKnown: Bool, words: String
        ) async throws {
            let outcome = try await Self.ask(leaf) { options, _ in
                if !isAuthorityKnown { options.caFile = nil }
            }
            let error = try #require(outcome.error)
            #expect(error.cause == .untrusted)
            #expect(error.description.contains(words), "\(error)")
            #expect(error.description.contains("needs a valid certificate for this host name"), "\(error)")
            #expect(!outcome.showsTheRequest)
        }

        @Test func `if the file of certificate authorities is missing, the error names the file`()
            async throws
        {
            let outcome = try await Self.ask(.valid) { options, certificates in
                options.caFile = certificates.folder + "/none.pem"
            }
            let error = try #require(outcome.error)
            #expect(error.cause == .untrusted)
            #expect(error.description.contains("none.pem") && error.description.contains("ca-certificates"))
        }

        @Test func `a server with a pinned key is trusted`() async throws {
            let other = "sha256//" + String(repeating: "A", count: 43) + "="
            for pins in [{ [$0] }, { [other, $0] }] as [@Sendable (String) -> [String]] {
                let outcome = try await Self.ask(.valid) { options, certificates in
                    options.pinnedPublicKeys = pins(try certificates.pin(of: .valid))
                }
                #expect(outcome.isAnswered, "\(outcome)")
            }
        }

        @Test func `a server with a key that is not pinned is not trusted, and receives no request`()
            async throws
        {
            let outcome = try await Self.ask(.valid) { options, certificates in
                options.pinnedPublicKeys = [try certificates.pin(of: .elsewhere)]
            }
            let error = try #require(outcome.error)
            #expect(error.cause == .untrusted)
            #expect(error.code == 90)
            #expect(error.description.contains("none of the pinned public keys"))
            #expect(!outcome.showsTheRequest)
        }

        @Test func `a pinned key does not replace the check of the certificate`() async throws {
            let outcome = try await Self.ask(.expired) { options, certificates in
                options.pinnedPublicKeys = [try certificates.pin(of: .expired)]
            }
            #expect(outcome.error?.cause == .untrusted)
            #expect(!outcome.showsTheRequest)
        }

        @Test(arguments: ["", "/etc/ssl/key.pem", "sha256//A;sha256//B", "sha256/AAAA", "sha256//\0"])
        func `a pin that is a file path or not a SHA-256 hash is rejected`(pin: String) throws {
            var options = CurlClient.Options()
            options.pinnedPublicKeys = [pin]
            let error = try #require(throws: CurlError.self) { try CurlClient(options) }
            #expect(error.cause == .invalidPin)
        }

        /// Runs in a process whose OpenSSL would accept the protocol, so that only the client rejects it.
        @Test func `a server that offers only TLS 1_1 is not trusted, and receives no request`() async {
            await #expect(processExitsWith: .success) {
                let certificates = try await onOwnThread { try Certificates() }
                let settings = certificates.folder + "/old.cnf"
                try Data(
                    """
                    openssl_conf = all
                    [all]
                    ssl_conf = ssl
                    [ssl]
                    system_default = old
                    [old]
                    MinProtocol = TLSv1
                    CipherString = DEFAULT@SECLEVEL=0

                    """.utf8
                ).write(to: URL(fileURLWithPath: settings))
                setVariable("OPENSSL_CONF", to: settings)
                let outcome = try await Self.ask(.valid, server: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
                let error = try #require(outcome.error)
                #expect(error.cause == .untrusted)
                #expect(error.description.contains("TLS 1.2 or later"), "\(error)")
                #expect(!outcome.showsTheRequest)
            }
        }

        @Test func `a server without TLS is not trusted, and receives no request`() throws {
            let peer = try LoopbackPeer { _ in .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
            defer { peer.stop() }
            var options = CurlClient.Options()
            options.totalMilliseconds = 500
            let client = try CurlClient(options)
            let error = try #require(throws: CurlError.self) {
                try client.get("https://127.0.0.1:\(peer.port)/")
            }
            #expect([.untrusted, .timedOut].contains(error.cause))
            #expect(peer.requests.isEmpty)
        }
    }
#endif
