import Foundation
import LeakFoundationTransport
import LeakTransport

@testable import LeakReporter

/// The transports, which must behave in the same way.
enum TransportKind: String, CaseIterable, Sendable {
    #if os(Linux)
        case curl
    #endif
    case urlSession

    func make(_ limits: TransportLimits = .longTimeouts) -> any Transport {
        switch self {
        #if os(Linux)
            case .curl: CurlTransport(limits: limits)
        #endif
        case .urlSession: URLSessionTransport(limits: limits)
        }
    }

    /// Sends POST requests one after the other with one transport, on a separate thread because a transport blocks.
    func replies(to posts: [TransportRequest], _ limits: TransportLimits = .longTimeouts) async
        -> [TransportResult]
    {
        await withCheckedContinuation { continuation in
            Thread {
                let transport = make(limits)
                continuation.resume(returning: posts.map(transport.post))
            }.start()
        }
    }

    func reply(to post: TransportRequest, _ limits: TransportLimits = .longTimeouts) async -> TransportResult
    {
        await replies(to: [post], limits)[0]
    }

    /// Returns the reply and the time that it took on its thread. The time until this function resumes depends on other tests.
    func timedReply(to post: TransportRequest, _ limits: TransportLimits) async -> (
        reply: TransportResult, seconds: Double
    ) {
        await withCheckedContinuation { continuation in
            Thread {
                let transport = make(limits)
                let start = DispatchTime.now().uptimeNanoseconds
                let reply = transport.post(post)
                let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
                continuation.resume(returning: (reply, seconds))
            }.start()
        }
    }
}

extension TransportLimits {
    /// Limits that no test reaches, even on a busy machine.
    static var longTimeouts: TransportLimits {
        var limits = TransportLimits()
        limits.connectMilliseconds = 300_000
        limits.totalMilliseconds = 600_000
        return limits
    }
}

extension TransportRequest {
    static func report(_ body: String = "report", to address: String) -> TransportRequest {
        TransportRequest(
            address: address,
            fields: [
                Field(name: "Content-Type", value: "application/json"),
                Field(name: "Authorization", value: "Bearer secret"),
                Field(name: "Idempotency-Key", value: "k1"),
            ], body: Array(body.utf8))
    }
}

extension TransportResult {
    var answer: Response? { if case .response(let answer) = self { answer } else { nil } }
    var failure: String? { if case .noResponse(let why) = self { why } else { nil } }
}
