import Foundation
package import LeakTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Posts with `URLSession`, where the SDK has no libcurl, keeping the connection between posts.
///
/// Blocks the thread that posts until the answer is there or a limit of ``TransportLimits`` is over.
package final class URLSessionTransport: Transport {
    private let limits: TransportLimits
    private let receiver = Receiver()
    /// Made with the first post, so that an app which reports nothing never sets one up.
    private var session: URLSession?

    package init(limits: TransportLimits = TransportLimits()) {
        self.limits = limits
    }

    // A session keeps its delegate, and itself, until it is told that there will be no more.
    deinit { session?.invalidateAndCancel() }

    package func post(_ post: Post) -> Reply {
        guard let url = URL(string: post.address) else { return .none("not an address: \(post.address)") }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data(post.body)
        request.timeoutInterval = Double(limits.totalMilliseconds) / 1000
        // Left out, the session asks for compressed answers.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        for field in post.fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        let exchange = Exchange(limits)
        let task = connected().dataTask(with: request)
        receiver.begin(exchange, of: task)
        defer { receiver.end(task) }
        task.resume()
        return exchange.reply(to: task)
    }

    private func connected() -> URLSession {
        if let session { return session }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Double(limits.totalMilliseconds) / 1000
        configuration.timeoutIntervalForResource = Double(limits.totalMilliseconds) / 1000
        configuration.httpMaximumConnectionsPerHost = 1
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        configuration.httpAdditionalHeaders = ["User-Agent": TransportLimits.userAgent]
        #if canImport(Darwin)
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
            configuration.waitsForConnectivity = false
        #endif
        let session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
        self.session = session
        return session
    }
}
