internal import Dispatch
import Foundation
internal import LeakTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The response to one request, collected from the pieces that the session delivers, and the means to wait for it.
final class PendingResponse: @unchecked Sendable {
    // `Sendable` is unchecked: the session calls this object on its own queue, and all state is accessed only while `lock` is
    // locked.
    private let lock = NSLock()
    private let finished = DispatchSemaphore(value: 0)
    private let limits: TransportLimits
    private var isConnected = false
    private var response: HTTPURLResponse?
    private var body: [UInt8] = []
    private var failure: String?
    private var isUnauthorized = false

    init(_ limits: TransportLimits) { self.limits = limits }

    /// Blocks until the response is complete, at most as long as the limits allow.
    func waitForResult(to task: URLSessionTask) -> TransportResult {
        // A session has a single time limit for silence, which applies to connecting and to the response. The collector may
        // need longer for a response than a connection should take, so this method enforces the limit for connecting itself.
        let start = DispatchTime.now()
        let connectBy = start + .milliseconds(min(limits.connectMilliseconds, limits.totalMilliseconds))
        if finished.wait(timeout: connectBy) == .timedOut {
            guard lock.withLock({ isConnected }) else {
                task.cancel()
                return .noResponse(reason: "no connection within \(limits.connectMilliseconds) ms")
            }
            guard finished.wait(timeout: start + .milliseconds(limits.totalMilliseconds)) == .success else {
                task.cancel()
                return .noResponse(reason: "no complete response within \(limits.totalMilliseconds) ms")
            }
        }
        return lock.withLock {
            if let failure { return .noResponse(reason: failure) }
            guard let response else { return .noResponse(reason: "no HTTP response") }
            return .response(
                TransportResult.Response(
                    status: response.statusCode,
                    retryAfter: response.value(forHTTPHeaderField: "Retry-After"),
                    location: response.value(forHTTPHeaderField: "Location"),
                    contentType: response.value(forHTTPHeaderField: "Content-Type"), body: body))
        }
    }

    /// Records that bytes of the request were sent, so there is a connection.
    func markConnected() {
        lock.withLock { isConnected = true }
    }

    /// Records the head of the response.
    func receive(_ response: URLResponse) {
        lock.withLock {
            isConnected = true
            self.response = response as? HTTPURLResponse
        }
    }

    /// Records the head of a response that asks for a password. Apple's systems deliver its body as well, Foundation on Linux
    /// cancels the task.
    func receiveUnauthorized(_ response: HTTPURLResponse) {
        lock.withLock {
            isConnected = true
            isUnauthorized = true
            self.response = response
        }
    }

    /// Appends the next bytes of the body.
    ///
    /// - Returns: `true` if they were accepted; if not, the transfer must stop.
    func receive(_ data: Data) -> Bool {
        lock.withLock {
            guard failure == nil, body.count + data.count <= limits.maxResponseBytes else {
                failure = "the response is longer than \(limits.maxResponseBytes) bytes"
                return false
            }
            body.append(contentsOf: data)
            return true
        }
    }

    /// Records the end of the task with its error, if any, and wakes the waiting thread.
    func finish(_ error: (any Error)?) {
        lock.withLock {
            if let error, failure == nil, !isUnauthorized { failure = error.localizedDescription }
        }
        finished.signal()
    }
}
