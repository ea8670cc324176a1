#if os(Linux)
    internal import CLeakCurl

    /// An HTTP client that sends one request at a time and keeps connections open between requests.
    ///
    /// Use one instance on one thread at a time: the class is not `Sendable`. Certificates are verified and TLS is at least version
    /// 1.2. Redirects are not followed, because they would send the key to another host. The client uses the proxies from the
    /// environment (`https_proxy`, `no_proxy`, …), but never for this machine itself (`localhost`, 127.0.0.0/8 and `[::1]`): to a
    /// proxy, `localhost` is the machine of the proxy, and local traffic would cross the network unencrypted. Go does the same:
    /// https://pkg.go.dev/net/http#ProxyFromEnvironment
    public final class CurlClient {
        /// The limits of a client, the servers that it trusts, and its `User-Agent`.
        public struct Options: Hashable, Sendable {
            /// Time limit from the DNS lookup to the end of the TLS handshake. A phone on a slow network needs a few seconds.
            public var connectMilliseconds = 10_000
            /// Time limit from the start to the last byte of the response, including connecting.
            public var totalMilliseconds = 30_000
            /// The largest response body, in bytes; a longer body is an error.
            public var maxResponseBytes = 64 * 1024
            /// If `false`, the client ignores the proxies from the environment. Use `false` for an address of this machine
            /// under a name other than `localhost`.
            public var usesProxy = true
            /// Hashes of public keys, one of which the server must have; if empty, every public key is accepted. Each entry is
            /// `sha256//` and the base64 of the SHA-256 of the key in DER form. The certificate is verified in addition.
            /// https://curl.se/libcurl/c/CURLOPT_PINNEDPUBLICKEY.html
            public var pinnedPublicKeys: [String] = []
            /// A PEM file of certificates to trust instead of the system's, for example of a company's own certificate authority.
            public var caFile: String?
            public var userAgent = "leak-collector-client/1"
            /// If `true`, the client connects only to addresses of the public internet: ``PublicAddress``. The address of each
            /// connection is checked, so a name that is resolved anew cannot lead elsewhere. Needs ``usesProxy`` to be `false`,
            /// because a proxy connects by itself.
            public var requiresPublicAddress = false

            public init() {}
        }

        private let handle: CurlHandle
        private let maxResponseBytes: Int
        private let usesProxy: Bool

        /// - Throws: ``CurlError`` if the process has no memory left, if curl lacks TLS or pinning, or if the user agent or a
        ///   pin is malformed.
        public init(_ options: Options = Options()) throws(CurlError) {
            let handle = try CurlHandle()
            // Timeouts without signals, because signals belong to the app: https://curl.se/libcurl/c/CURLOPT_NOSIGNAL.html
            try handle.set(CURLOPT_NOSIGNAL, to: 1)
            try handle.set(CURLOPT_CONNECTTIMEOUT_MS, to: max(options.connectMilliseconds, 1))
            try handle.set(CURLOPT_TIMEOUT_MS, to: max(options.totalMilliseconds, 1))
            try handle.set(CURLOPT_FOLLOWLOCATION, to: 0)
            try handle.set(CURLOPT_SSL_VERIFYPEER, to: 1)
            try handle.set(CURLOPT_SSL_VERIFYHOST, to: 2)
            try handle.set(CURLOPT_SSLVERSION, to: CURL_SSLVERSION_TLSv1_2)
            // The option exists since curl 7.85. For older versions, the check of the address in `send` enforces the same rule.
            try handle.setIfKnown(CURLOPT_PROTOCOLS_STR, to: "http,https")
            try Self.validate(options.userAgent, of: "User-Agent")
            try handle.set(CURLOPT_USERAGENT, to: options.userAgent)
            if !options.pinnedPublicKeys.isEmpty {
                try Self.validate(pins: options.pinnedPublicKeys)
                try handle.set(CURLOPT_PINNEDPUBLICKEY, to: options.pinnedPublicKeys.joined(separator: ";"))
            }
            if let caFile = options.caFile { try handle.set(CURLOPT_CAINFO, to: caFile) }
            if options.requiresPublicAddress { try handle.requirePublicAddress() }
            self.handle = handle
            usesProxy = options.usesProxy
            maxResponseBytes = options.maxResponseBytes
        }

        /// Sends a GET request.
        ///
        /// - Returns: the response, with any status.
        /// - Throws: ``CurlError`` if no response arrived.
        public func get(_ address: String, fields: [HTTPField] = []) throws(CurlError) -> HTTPResponse {
            try send(nil, to: address, fields)
        }

        /// Sends a POST request with a body.
        ///
        /// - Parameter fields: the header fields, with a `Content-Type`; without it, curl would declare the body to be a form.
        /// - Returns: the response, with any status.
        /// - Throws: ``CurlError`` if no response arrived. Even then, the server may have received the body.
        public func post(
            _ body: [UInt8], to address: String, fields: [HTTPField]
        ) throws(CurlError) -> HTTPResponse {
            try send(body, to: address, fields)
        }

        /// Sends a DELETE request.
        ///
        /// - Returns: the response, with any status.
        /// - Throws: ``CurlError`` if no response arrived. Even then, the server may have deleted the resource.
        public func delete(_ address: String, fields: [HTTPField] = []) throws(CurlError) -> HTTPResponse {
            try handle.set(CURLOPT_CUSTOMREQUEST, to: "DELETE")
            defer { try? handle.set(CURLOPT_CUSTOMREQUEST, to: nil) }
            return try send(nil, to: address, fields)
        }

        private func send(
            _ body: [UInt8]?, to address: String, _ fields: [HTTPField]
        ) throws(CurlError) -> HTTPResponse {
            let scheme = address.prefix { $0 != ":" }.lowercased()
            guard scheme == "http" || scheme == "https",
                !address.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F })
            else {
                throw CurlError(
                    .invalidAddress, "not an http or https URL: \(Self.masked(address).prefix(200))")
            }
            var lines = HeaderLines()
            for field in fields {
                try Self.validate(field.name + field.value, of: field.name)
                // curl drops a field whose line ends with the colon; a semicolon instead makes it send an empty value.
                try lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
            }
            // Without this line, curl waits a second for `100 Continue` before a body of more than a mebibyte.
            if body != nil { try lines.append("Expect:") }
            try handle.set(CURLOPT_URL, to: address)
            let isDirect = !usesProxy || CurlHandle.host(of: address).map(Self.isLoopback) ?? false
            // nil uses the proxy from the environment; an empty string uses no proxy.
            try handle.set(CURLOPT_PROXY, to: isDirect ? "" : nil)
            var sink = ResponseCollector(bodyLimit: maxResponseBytes)
            let (status, opened) = try handle.perform(lines: lines, body: body, into: &sink)
            return HTTPResponse(
                status: status, fields: sink.fields, body: sink.body, openedConnections: opened)
        }

        /// Returns an address without user name and password, which must not appear in messages.
        private static func masked(_ address: String) -> String {
            address.lastIndex(of: "@").map { "…" + address[$0...] } ?? address
        }

        /// Returns `true` for `localhost`, 127.0.0.0/8 and `[::1]`, as curl writes a host, but not for a name that only starts with
        /// 127.
        private static func isLoopback(_ host: String) -> Bool {
            if host.lowercased() == "localhost" || host == "[::1]" { return true }
            let parts = host.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
        }

        /// Checks that the pins have their prefix; without it, curl interprets a pin as the path of a file.
        private static func validate(pins: [String]) throws(CurlError) {
            let others: Set<UInt8> = Set("+/=".utf8)
            for pin in pins {
                let isPin =
                    pin.hasPrefix("sha256//")
                    && pin.utf8.dropFirst(8).allSatisfy { byte in
                        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || others.contains(byte)
                            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    }
                guard isPin else {
                    throw CurlError(
                        .invalidPin, "a pin is sha256// and base64, not \(pin.prefix(100).debugDescription)")
                }
            }
        }

        private static func validate(_ text: String, of name: String) throws(CurlError) {
            guard !name.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                let shownName = name.prefix(64).debugDescription
                throw CurlError(
                    .invalidField, "the header field \(shownName) has no name, or has control characters")
            }
        }
    }
#endif
