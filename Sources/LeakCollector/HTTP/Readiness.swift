internal import LeakHTTPServer
internal import LeakPlatform
internal import LeakStore

/// Answers `/readyz`. One look at the store serves all who ask before it begins: anybody may ask, and thousands of
/// questions must not take the place of pages.
final class Readiness: Sendable {
    private let waiting = Guarded<[SharedResponder]>([])
    private let threads: StoreThreads

    init(threads: StoreThreads) { self.threads = threads }

    func receive(_ responder: consuming Responder) {
        let responder = SharedResponder(responder)
        let isFirst = waiting.with { waiting in
            waiting.append(responder)
            return waiting.count == 1
        }
        guard isFirst else { return }
        threads.add(
            StoreWork("/readyz", responders: { [self] in take() }, rejection: { $0.response }) { lent in
                try lent.reader.ping()
                return .plain("ready\n")
            })
    }

    private func take() -> [SharedResponder] {
        waiting.with { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
