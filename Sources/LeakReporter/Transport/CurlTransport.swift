#if os(Linux)
    import LeakHTTPClient
    import LeakTransport

    /// A transport that uses libcurl and keeps the connection between requests.
    final class CurlTransport: Transport {
        private let options: CurlClient.Options
        /// The client, created with the first request, so that an app that reports nothing never initializes curl.
        private var client: CurlClient?
        /// `true` if the client may have kept the connection of the last request.
        private var mayReuseConnection = false

        /// - Parameter pinnedPublicKeys: as ``LeakReporter/Configuration/pinnedPublicKeys``.
        init(limits: TransportLimits = TransportLimits(), pinnedPublicKeys: [String] = []) {
            var options = CurlClient.Options()
            options.connectMilliseconds = limits.connectMilliseconds
            options.totalMilliseconds = limits.totalMilliseconds
            options.maxResponseBytes = limits.maxResponseBytes
            options.userAgent = TransportLimits.userAgent
            options.pinnedPublicKeys = pinnedPublicKeys
            self.options = options
        }

        func post(_ post: TransportRequest) -> TransportResult {
            do throws(CurlError) {
                let fields = post.fields.map { HTTPField($0.name, $0.value) }
                let response = try obtainClient().post(post.body, to: post.address, fields: fields)
                let mayBeRepeated = mayReuseConnection && response.openedConnections > 0
                // The next request has a new connection, so its response is unambiguous.
                if mayBeRepeated { client = nil }
                mayReuseConnection = !mayBeRepeated
                var reply = TransportResult.Response(
                    status: response.status, retryAfter: response["Retry-After"],
                    location: response["Location"],
                    contentType: response["Content-Type"], body: response.body)
                // If a kept connection ends before a response, libcurl repeats the request on a new connection without
                // reporting it.
                reply.mayBeRepeated = mayBeRepeated
                return .response(reply)
            } catch {
                // curl closes a connection whose transfer fails.
                mayReuseConnection = false
                return .noResponse(reason: error.description)
            }
        }

        private func obtainClient() throws(CurlError) -> CurlClient {
            if let client { return client }
            let client = try CurlClient(options)
            self.client = client
            return client
        }
    }
#endif
