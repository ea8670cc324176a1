#if os(Linux) || os(macOS)
    import HTTPClient

    /// Posts with libcurl, keeping the connection between posts.
    final class CurlTransport: Transport {
        /// Made with the first post, so that an app which reports nothing never sets curl up.
        private var client: CurlClient?
        private let totalMilliseconds: Int

        /// - Parameter totalMilliseconds: for one post, from start to the last byte of the answer.
        init(totalMilliseconds: Int = TransportLimits.totalMilliseconds) {
            self.totalMilliseconds = totalMilliseconds
        }

        func post(_ post: Post) -> Reply {
            do throws(CurlError) {
                let fields = post.fields.map { HTTPField($0.name, $0.value) }
                let answer = try connected().post(post.body, to: post.address, fields: fields)
                return .answer(
                    Reply.Answer(
                        status: answer.status, retryAfter: answer["Retry-After"],
                        location: answer["Location"], contentType: answer["Content-Type"],
                        body: answer.body))
            } catch {
                return .none(error.description)
            }
        }

        private func connected() throws(CurlError) -> CurlClient {
            if let client { return client }
            var options = CurlClient.Options()
            options.connectMilliseconds = TransportLimits.connectMilliseconds
            options.totalMilliseconds = totalMilliseconds
            options.answerBytes = TransportLimits.answerBytes
            options.userAgent = TransportLimits.userAgent
            let client = try CurlClient(options)
            self.client = client
            return client
        }
    }
#endif
