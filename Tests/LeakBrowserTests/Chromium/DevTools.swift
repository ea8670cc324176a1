import Foundation
import LeakPlatform

/// The DevTools protocol: calls, their answers, and events. https://chromedevtools.github.io/devtools-protocol/
final class DevTools: Sendable {
    /// Maximum time to wait for an answer. It is long, because the machine may be busy.
    static let timeout: Duration = .seconds(90)

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    typealias Handler = @Sendable (_ method: String, _ parameters: JSON) -> Void

    private struct State {
        var lastCall = 0
        var waiting: [Int: CheckedContinuation<JSON, any Error>] = [:]
        var handlers: [String: Handler] = [:]
        var isClosed = false
    }

    private let state = Guarded(State())
    private let process: ChromiumProcess

    init(program: String) throws {
        let state = state
        process = try ChromiumProcess(program: program) { message in
            guard let message else { return Self.close(state) }
            guard let json = try? JSON(parsing: message) else { return }
            Self.receive(json, state)
        }
    }

    /// Ends Chromium. Calls that wait for an answer fail. Blocks until the process has ended.
    func stop() {
        process.stop()
    }

    /// Calls a method and waits for its answer.
    ///
    /// - Parameter session: session of the target tab; `nil` is the browser.
    /// - Throws: ``Failure`` with Chromium's message, or after ``timeout``.
    func call(
        _ method: String, _ parameters: JSON = [:], session: String? = nil
    ) async throws -> JSON {
        let number = state.with { state in
            state.lastCall += 1
            return state.lastCall
        }
        var message: [String: JSON] = ["id": JSON(number), "method": JSON(method), "params": parameters]
        if let session { message["sessionId"] = JSON(session) }
        let bytes = try JSON.object(message).bytes
        let watch = Task { [state] in
            try await Task.sleep(for: Self.timeout)
            Self.end(number, with: .failure(Failure(description: "\(method): no answer in time")), state)
        }
        defer { watch.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isClosed = state.with { state in
                        if !state.isClosed { state.waiting[number] = continuation }
                        return state.isClosed
                    }
                    if isClosed {
                        continuation.resume(throwing: Failure(description: "Chromium has ended"))
                    } else {
                        process.send(bytes)
                    }
                }
            } onCancel: {
                Self.end(number, with: .failure(CancellationError()), state)
            }
        } catch let failure as Failure {
            throw Failure(description: "\(method): \(failure.description)")
        }
    }

    /// Calls a method whose answer does not matter.
    func sendCommand(_ method: String, _ parameters: JSON = [:], session: String) {
        let number = state.with { state in
            state.lastCall += 1
            return state.lastCall
        }
        let message: JSON = [
            "id": JSON(number), "method": JSON(method), "params": parameters, "sessionId": JSON(session),
        ]
        if let bytes = try? message.bytes { process.send(bytes) }
    }

    /// Sets the handler for the events of a session; `nil` removes it. The handler runs on the reading thread.
    func listen(to session: String, _ handler: Handler?) {
        state.with { $0.handlers[session] = handler }
    }

    private static func receive(_ message: JSON, _ state: Guarded<State>) {
        if let number = message["id"].int {
            let failure = message["error"]["message"].text.map { Failure(description: $0) }
            end(number, with: failure.map { .failure($0) } ?? .success(message["result"]), state)
        } else if let method = message["method"].text, let session = message["sessionId"].text {
            let handler = state.with { $0.handlers[session] }
            handler?(method, message["params"])
        }
    }

    private static func end(_ call: Int, with result: Result<JSON, any Error>, _ state: Guarded<State>) {
        let continuation = state.with { $0.waiting.removeValue(forKey: call) }
        continuation?.resume(with: result)
    }

    private static func close(_ state: Guarded<State>) {
        let waiting = state.with { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting {
            continuation.resume(throwing: Failure(description: "Chromium has ended"))
        }
    }
}
