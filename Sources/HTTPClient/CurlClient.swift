internal import CCurl

/// Sends HTTP requests, one at a time, keeping connections between them.
///
/// Use one instance on one thread at a time; that is why it is not `Sendable`. Certificates are verified and TLS is
/// at least 1.2. Redirects are not followed, since they would carry the key elsewhere. Proxies are taken from the
/// environment (`https_proxy`, `no_proxy`, …).
public final class CurlClient {
    public struct Options: Hashable, Sendable {
        /// From the name's look-up to the end of the TLS handshake. A phone on a slow network needs a few seconds.
        public var connectMilliseconds = 10_000
        /// From start to the last byte of the answer, connecting included.
        public var totalMilliseconds = 30_000
        /// Of the body of an answer; a longer one is an error.
        public var answerBytes = 64 * 1024
        /// Off, a proxy named in the environment is passed by: for an address that is this machine's own.
        public var usesProxy = true
        public var userAgent = "leak-collector-client/1"

        public init() {}
    }

    private let handle: CurlHandle
    private let answerBytes: Int

    /// - Throws: ``CurlError`` when the process has no memory left, or with a curl that lacks TLS.
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
        if !options.usesProxy { try handle.set(CURLOPT_PROXY, to: "") }
        self.handle = handle
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
        var sink = Sink(bodyLimit: answerBytes)
        let (status, opened) = try handle.perform(lines: lines, body: body, into: &sink)
        return HTTPAnswer(status: status, fields: sink.fields, body: sink.body, openedConnections: opened)
    }

    private static func check(_ text: String, of name: String) throws(CurlError) {
        guard !name.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw CurlError(
                .invalidField, "the field \(name.prefix(64).debugDescription) has control characters")
        }
    }
}
