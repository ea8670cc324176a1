#if os(Linux)
    import LeakHTTPClient
    import LeakTransport

    /// Posts with libcurl, keeping the connection between posts.
    final class CurlTransport: Transport {
        private let options: CurlClient.Options
        /// Made with the first post, so that an app which reports nothing never sets curl up.
        private var client: CurlClient?
        /// True if the client may have kept the connection of the last post.
        private var mayReuseConnection = false

        /// - Parameter pinnedPublicKeys: as ``LeakReporter/Configuration/pinnedPublicKeys``.
        init(limits: TransportLimits = TransportLimits(), pinnedPublicKeys: [String] = []) {
            var options = CurlClient.Options()
            options.connectMilliseconds = limits.connectMilliseconds
            options.totalMilliseconds = limits.totalMilliseconds
            options.answerBytes = limits.answerBytes
            options.userAgent = TransportLimits.userAgent
            options.pinnedPublicKeys = pinnedPublicKeys
            self.options = options
        }

        func post(_ post: Post) -> Reply {
            do throws(CurlError) {
                let fields = post.fields.map { HTTPField($0.name, $0.value) }
                let answer = try connected().post(post.body, to: post.address, fields: fields)
                let mayBeRepeated = mayReuseConnection && answer.openedConnections > 0
                // The next post has a connection of its own, so its answer is unambiguous.
                if mayBeRepeated { client = nil }
                mayReuseConnection = !mayBeRepeated
                var reply = Reply.Answer(
                    status: answer.status, retryAfter: answer["Retry-After"], location: answer["Location"],
                    contentType: answer["Content-Type"], body: answer.body)
                // libcurl posts again on a new connection, without telling, when a kept one ends before an answer.
                reply.mayBeRepeated = mayBeRepeated
                return .answer(reply)
            } catch {
                // curl closes a connection whose transfer fails.
                mayReuseConnection = false
                return .none(error.description)
            }
        }

        private func connected() throws(CurlError) -> CurlClient {
            if let client { return client }
            let client = try CurlClient(options)
            self.client = client
            return client
        }
    }
#endif
