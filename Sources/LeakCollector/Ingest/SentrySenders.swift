internal import LeakPlatform

/// Who sent the last event of each ingest key that was counted. A client report that comes alone says nothing of that, and
/// with a key that is bound to no app it would be counted for one that nobody has.
///
/// Forgotten with the process.
final class SentrySenders: Sendable {
    struct Sender: Hashable, Sendable {
        let app: String
        let version: String
    }

    /// More keys than a collector has; beyond them any one is forgotten.
    static let limit = 1_024

    private let senders = Guarded<[Int64: Sender]>([:])

    func note(_ sender: Sender, of key: Int64) {
        senders.with { senders in
            if senders.count >= Self.limit, senders[key] == nil { senders.remove(at: senders.startIndex) }
            senders[key] = sender
        }
    }

    func last(of key: Int64) -> Sender? { senders.with { $0[key] } }
}
