import Foundation
package import LeakTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport with `URLSession`, for all of Apple's systems, that keeps the connection open between requests.
///
/// Blocks the sending thread until the response is complete or a limit of ``TransportLimits`` is exceeded.
package final class URLSessionTransport: Transport {
    private let limits: TransportLimits
    private let usesProxy: Bool
    private let delegate = SessionDelegate()
    /// The session, created with the first request, so that an app that reports nothing never creates a session.
    private var session: URLSession?

    /// - Parameter usesProxy: if `false`, the proxy settings of the system are ignored.
    package init(limits: TransportLimits = TransportLimits(), usesProxy: Bool = true) {
        self.limits = limits
        self.usesProxy = usesProxy
    }

    // A session retains its delegate, and itself, until it is invalidated.
    deinit { session?.invalidateAndCancel() }

    package func post(_ post: TransportRequest) -> TransportResult {
        send("POST", to: post.address, fields: post.fields, body: post.body)
    }

    /// Sends a request, and blocks until the response is complete or a limit is exceeded.
    ///
    /// - Parameter body: the body; `nil` for a method without a body.
    package func send(
        _ method: String, to address: String, fields: [TransportRequest.Field], body: [UInt8]?
    ) -> TransportResult {
        guard let url = URL(string: address) else { return .noResponse(reason: "not a URL: \(address)") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body.map { Data($0) }
        request.timeoutInterval = Double(limits.totalMilliseconds) / 1000
        // Without this field, the session asks for compressed responses.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        for field in fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        let pendingResponse = PendingResponse(limits)
        let task = obtainSession().dataTask(with: request)
        delegate.register(pendingResponse, for: task)
        defer { delegate.unregister(task) }
        task.resume()
        return pendingResponse.waitForResult(to: task)
    }

    private func obtainSession() -> URLSession {
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
        if !usesProxy { configuration.connectionProxyDictionary = [:] }
        configuration.httpAdditionalHeaders = ["User-Agent": TransportLimits.userAgent]
        #if canImport(Darwin)
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
            configuration.waitsForConnectivity = false
        #endif
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        self.session = session
        return session
    }
}
