internal import LeakPlatform
internal import LeakStore

/// Events that do not follow from stored data, until the maintenance thread stores them: a full disk, a failed backup, a failed
/// release check. Any thread may add events; none waits for the store. Events in the queue are lost if the process is killed.
final class EventQueue: Sendable {
    /// Maximum number of waiting events, so that requests cannot fill the memory while the store fails. Further events are
    /// dropped.
    private static let limit = 100

    private let events = Guarded<[Event]>([])

    func add(_ event: Event) {
        events.with { events in
            if events.count < Self.limit { events.append(event) }
        }
    }

    /// Stores the waiting events. They wait for the next call if the store fails.
    func store(in store: any Store) throws(StoreError) {
        let waiting = events.with { $0 }
        guard !waiting.isEmpty else { return }
        _ = try store.record(waiting, mark: nil)
        events.with { $0.removeFirst(waiting.count) }
    }
}

extension Event {
    /// Creates an event of the collector itself. It is recorded once a day at most.
    init(_ kind: Kind, title: String, text: String, at time: Int64) {
        self.init(
            at: time, kind: kind, app: nil, key: WallClock.day(time), title: title, text: text)
    }
}
