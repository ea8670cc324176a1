internal import LeakPlatform

/// Sender of the last counted event of each ingest key. A client report of a Sentry SDK, which counts dropped events, does not
/// name its sender if it comes without an event. It is then counted for the last sender of its key. Without that, if the key
/// may send for any app, the client report would be counted for the app `default`.
///
/// The senders are lost when the process ends.
final class SentrySenders: Sendable {
    struct Sender: Hashable, Sendable {
        let app: String
        let environment: String
        let version: String
    }

    /// Maximum number of keys, more than a collector usually has. When it is reached, a new key replaces an arbitrary key.
    static let maxKeyCount = 1_024

    private let senders = Guarded<[Int64: Sender]>([:])

    func record(_ sender: Sender, of key: Int64) {
        senders.with { senders in
            if senders.count >= Self.maxKeyCount, senders[key] == nil {
                senders.remove(at: senders.startIndex)
            }
            senders[key] = sender
        }
    }

    func lastSender(of key: Int64) -> Sender? { senders.with { $0[key] } }
}
