#if os(Linux)
    internal import CLeakCurl

    /// A client that sends mail to an SMTP server, with libcurl.
    ///
    /// Use one instance on one thread at a time: the class is not `Sendable`.
    public final class MailClient {
        private let handle: CurlHandle

        /// - Parameters:
        ///   - options: the time limits, and ``CurlClient/Options/requiresPublicAddress``. A proxy is never used.
        ///   - requiresTLS: if `false`, a server that does not support TLS gets the mail unencrypted.
        /// - Throws: ``CurlError`` if the process has no memory left, or if curl lacks TLS.
        public init(_ options: CurlClient.Options, requiresTLS: Bool) throws(CurlError) {
            let handle = try CurlHandle()
            try handle.set(CURLOPT_NOSIGNAL, to: 1)
            try handle.set(CURLOPT_CONNECTTIMEOUT_MS, to: max(options.connectMilliseconds, 1))
            try handle.set(CURLOPT_TIMEOUT_MS, to: max(options.totalMilliseconds, 1))
            try handle.set(CURLOPT_SSL_VERIFYPEER, to: 1)
            try handle.set(CURLOPT_SSL_VERIFYHOST, to: 2)
            try handle.set(CURLOPT_SSLVERSION, to: CURL_SSLVERSION_TLSv1_2)
            try handle.set(
                CURLOPT_USE_SSL, to: Int((requiresTLS ? CURLUSESSL_ALL : CURLUSESSL_TRY).rawValue))
            try handle.setIfKnown(CURLOPT_PROTOCOLS_STR, to: "smtp,smtps")
            try handle.set(CURLOPT_PROXY, to: "")
            if let caFile = options.caFile { try handle.set(CURLOPT_CAINFO, to: caFile) }
            if options.requiresPublicAddress { try handle.requirePublicAddress() }
            self.handle = handle
        }

        /// Sends a mail. If the server rejects a recipient, no recipient gets it.
        ///
        /// - Parameters:
        ///   - message: header fields and body, with CR LF at the end of each line.
        ///   - address: `smtp://HOST:PORT` or `smtps://HOST:PORT`.
        ///   - user: the user name and password; `nil` to send without a login.
        /// - Throws: ``CurlError`` if the server did not accept the mail. Even then, it may have received it.
        public func send(
            _ message: [UInt8], from sender: String, to recipients: [String], over address: String,
            user: (name: String, password: String)?
        ) throws(CurlError) {
            let scheme = address.prefix { $0 != ":" }.lowercased()
            guard scheme == "smtp" || scheme == "smtps" else {
                throw CurlError(.invalidAddress, "not an smtp or smtps URL")
            }
            var lines = HeaderLines()
            for recipient in recipients { try lines.append("<\(recipient)>") }
            try handle.set(CURLOPT_URL, to: address)
            try handle.set(CURLOPT_USERNAME, to: user?.name)
            try handle.set(CURLOPT_PASSWORD, to: user?.password)
            try handle.set(CURLOPT_MAIL_FROM, to: "<\(sender)>")
            try handle.upload(message, to: lines)
        }
    }
#endif
