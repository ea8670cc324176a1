import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of the session. It passes each callback to the pending response of its task; callbacks after the end of a task
/// are dropped.
final class SessionDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // `Sendable` is unchecked: `pendingResponses` is accessed only while `lock` is locked.
    private let lock = NSLock()
    private var pendingResponses: [Int: PendingResponse] = [:]

    func register(_ pendingResponse: PendingResponse, for task: URLSessionTask) {
        lock.withLock { pendingResponses[task.taskIdentifier] = pendingResponse }
    }

    func unregister(_ task: URLSessionTask) {
        _ = lock.withLock { pendingResponses.removeValue(forKey: task.taskIdentifier) }
    }

    private func pendingResponse(of task: URLSessionTask) -> PendingResponse? {
        lock.withLock { pendingResponses[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        // A followed redirect would send the ingest key to another host.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // The server asks for a password, and there is none: its 401 is the response. Without this method, the session would
        // search the keychain, and Foundation on Linux would wait forever.
        if let refusal = challenge.failureResponse as? HTTPURLResponse {
            pendingResponse(of: task)?.receiveUnauthorized(refusal)
            completionHandler(.rejectProtectionSpace, nil)
        } else {
            completionHandler(.performDefaultHandling, nil)
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        pendingResponse(of: task)?.markConnected()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        pendingResponse(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let pendingResponse = pendingResponse(of: dataTask) else { return }
        if !pendingResponse.receive(data) { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        pendingResponse(of: task)?.finish(error)
    }
}
