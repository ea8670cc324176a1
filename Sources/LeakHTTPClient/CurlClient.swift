#if os(Linux)
    internal import CLeakCurl

    /// Sends HTTP requests, one at a time, keeping connections between them.
    ///
    /// Use one instance on one thread at a time; that is why it is not `Sendable`. Certificates are verified and TLS is
    /// at least 1.2. Redirects are not followed, since they would carry the key elsewhere. Proxies are taken from the
    /// environment (`https_proxy`, `no_proxy`, …), but never for this machine itself (`localhost`, 127.0.0.0/8 and `[::1]`):
    /// curl would ask the proxy for its own `localhost`, and send unencrypted over a network what was to stay on the machine.
    /// Go does the same: https://pkg.go.dev/net/http#ProxyFromEnvironment
    public final class CurlClient {
        public struct Options: Hashable, Sendable {
            /// From the name's look-up to the end of the TLS handshake. A phone on a slow network needs a few seconds.
            public var connectMilliseconds = 10_000
            /// From start to the last byte of the answer, connecting included.
            public var totalMilliseconds = 30_000
            /// Of the body of an answer; a longer one is an error.
            public var answerBytes = 64 * 1024
            /// Off, a proxy named in the environment is passed by: for an address that is this machine's own, by another name
            /// than `localhost`.
            public var usesProxy = true
            /// The server's public key must be one of these; with none, any will do. Each is `sha256//` and the base64 of the
            /// SHA-256 of its DER form. The certificate is verified besides.
            /// https://curl.se/libcurl/c/CURLOPT_PINNEDPUBLICKEY.html
            public var pinnedPublicKeys: [String] = []
            /// A file of certificates in PEM form, to be trusted in place of the system's: for a company's own authority.
            public var caFile: String?
            public var userAgent = "leak-collector-client/1"

            public init() {}
        }

        private let handle: CurlHandle
        private let answerBytes: Int
        private let usesProxy: Bool

        /// - Throws: ``CurlError`` when the process has no memory left, with a curl that lacks TLS or pins, and for a pin that
        ///   is none.
        public init(_ options: Options = Options()) throws(CurlError) {
            let handle = try CurlHandle()
            // Time-outs without signals, which belong to the app: https://curl.se/libcurl/c/CURLOPT_NOSIGNAL.html
            try handle.set(CURLOPT_NOSIGNAL, to: 1)
            try handle.set(CURLOPT_CONNECTTIMEOUT_MS, to: max(options.connectMilliseconds, 1))
            try handle.set(CURLOPT_TIMEOUT_MS, to: max(options.totalMilliseconds, 1))
            try handle.set(CURLOPT_FOLLOWLOCATION, to: 0)
            try handle.set(CURLOPT_SSL_VERIFYPEER, to: 1)
            try handle.set(CURLOPT_SSL_VERIFYHOST, to: 2)
            try handle.set(CURLOPT_SSLVERSION, to: CURL_SSLVERSION_TLSv1_2)
            // From curl 7.85 on. Older ones are left with the check of the address below, which is the same rule.
            try handle.setIfKnown(CURLOPT_PROTOCOLS_STR, to: "http,https")
            try Self.check(options.userAgent, of: "User-Agent")
            try handle.set(CURLOPT_USERAGENT, to: options.userAgent)
            if !options.pinnedPublicKeys.isEmpty {
                try Self.check(pins: options.pinnedPublicKeys)
                try handle.set(CURLOPT_PINNEDPUBLICKEY, to: options.pinnedPublicKeys.joined(separator: ";"))
            }
            if let caFile = options.caFile { try handle.set(CURLOPT_CAINFO, to: caFile) }
            self.handle = handle
            usesProxy = options.usesProxy
            answerBytes = options.answerBytes
        }

        /// Gets what is at an address.
        ///
        /// - Returns: the answer, whatever its status.
        /// - Throws: ``CurlError`` when no answer came.
        public func get(_ address: String, fields: [HTTPField] = []) throws(CurlError) -> HTTPAnswer {
            try send(nil, to: address, fields)
        }

        /// Posts a body to an address.
        ///
        /// - Parameter fields: with a `Content-Type`; without one curl would call the body a form.
        /// - Returns: the answer, whatever its status.
        /// - Throws: ``CurlError`` when no answer came. The server may have taken the body all the same.
        public func post(
            _ body: [UInt8], to address: String, fields: [HTTPField]
        ) throws(CurlError) -> HTTPAnswer {
            try send(body, to: address, fields)
        }

        /// Deletes what is at an address.
        ///
        /// - Returns: the answer, whatever its status.
        /// - Throws: ``CurlError`` when no answer came. The server may have deleted it all the same.
        public func delete(_ address: String, fields: [HTTPField] = []) throws(CurlError) -> HTTPAnswer {
            try handle.set(CURLOPT_CUSTOMREQUEST, to: "DELETE")
            defer { try? handle.set(CURLOPT_CUSTOMREQUEST, to: nil) }
            return try send(nil, to: address, fields)
        }

        private func send(
            _ body: [UInt8]?, to address: String, _ fields: [HTTPField]
        ) throws(CurlError) -> HTTPAnswer {
            let scheme = address.prefix { $0 != ":" }.lowercased()
            guard scheme == "http" || scheme == "https",
                !address.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F })
            else {
                throw CurlError(.invalidAddress, "not an address of http or https: \(address.prefix(200))")
            }
            var lines = HeaderLines()
            for field in fields {
                try Self.check(field.name + field.value, of: field.name)
                // curl drops a field whose line ends with the colon; a semicolon asks for the empty value.
                try lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
            }
            // Without this, curl waits a second for `100 Continue` before a body of more than a mebibyte.
            if body != nil { try lines.append("Expect:") }
            try handle.set(CURLOPT_URL, to: address)
            let isDirect = !usesProxy || CurlHandle.host(of: address).map(Self.isLoopback) ?? false
            // nil takes the proxy of the environment, an empty text none.
            try handle.set(CURLOPT_PROXY, to: isDirect ? "" : nil)
            var sink = Sink(bodyLimit: answerBytes)
            let (status, opened) = try handle.perform(lines: lines, body: body, into: &sink)
            return HTTPAnswer(status: status, fields: sink.fields, body: sink.body, openedConnections: opened)
        }

        /// `localhost`, 127.0.0.0/8 and `[::1]`, as curl writes a host. A name that only starts with 127 is none of them.
        private static func isLoopback(_ host: String) -> Bool {
            if host.lowercased() == "localhost" || host == "[::1]" { return true }
            let parts = host.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
        }

        /// Without its prefix, curl takes a pin for the path of a file.
        private static func check(pins: [String]) throws(CurlError) {
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

        private static func check(_ text: String, of name: String) throws(CurlError) {
            guard !name.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw CurlError(
                    .invalidField, "the field \(name.prefix(64).debugDescription) has control characters")
            }
        }
    }
#endif
