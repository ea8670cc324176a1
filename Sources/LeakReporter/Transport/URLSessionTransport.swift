#if canImport(Darwin)
    import Foundation

    /// Posts with `URLSession`, where the SDK has no libcurl. Blocks the reporter's thread until the answer is there.
    final class URLSessionTransport: Transport {
        private let receiver = Receiver()
        private let session: URLSession

        init() {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForRequest = Double(TransportLimits.connectMilliseconds) / 1000
            configuration.timeoutIntervalForResource = Double(TransportLimits.totalMilliseconds) / 1000
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.waitsForConnectivity = false
            configuration.httpAdditionalHeaders = ["User-Agent": TransportLimits.userAgent]
            session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
        }

        deinit { session.invalidateAndCancel() }

        func post(_ post: Post) -> Reply {
            guard let url = URL(string: post.address) else { return .none("not an address: \(post.address)") }
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.httpBody = Data(post.body)
            for field in post.fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
            return receiver.reply(to: session.dataTask(with: request))
        }
    }

    /// Gathers the answer of one task at a time. Redirects are not followed, since they would carry the key elsewhere.
    private final class Receiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        // Unchecked: the session calls on one serial queue, and `lock` stands between it and the reporter's thread.
        private let lock = NSLock()
        private let finished = DispatchSemaphore(value: 0)
        private var body: [UInt8] = []
        private var failure: String?

        func reply(to task: URLSessionDataTask) -> Reply {
            lock.withLock {
                body = []
                failure = nil
            }
            task.resume()
            finished.wait()
            return lock.withLock {
                if let failure { return .none(failure) }
                guard let answer = task.response as? HTTPURLResponse else { return .none("no HTTP answer") }
                return .answer(
                    Reply.Answer(
                        status: answer.statusCode,
                        retryAfter: answer.value(forHTTPHeaderField: "Retry-After"),
                        location: answer.value(forHTTPHeaderField: "Location"),
                        contentType: answer.value(forHTTPHeaderField: "Content-Type"), body: body))
            }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            completionHandler: @escaping (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            lock.withLock {
                guard body.count + data.count <= TransportLimits.answerBytes else {
                    failure = "the answer is longer than \(TransportLimits.answerBytes) bytes"
                    dataTask.cancel()
                    return
                }
                body.append(contentsOf: data)
            }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
        {
            lock.withLock { if let error, failure == nil { failure = error.localizedDescription } }
            finished.signal()
        }
    }
#endif
