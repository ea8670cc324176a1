internal import LeakPlatform
internal import LeakStore

/// Sends messages about events to all channels, on a thread of its own.
final class NotificationLoop: Sendable {
    /// Time between two looks at the list of events.
    private static let interval = Duration.seconds(5)
    /// Number of messages that one channel sends before the next channel.
    private static let maxMessages = 20

    private let channels: [Channel]
    private let allowsPrivateAddresses: Bool
    /// Distinguishes this process from others on the same database. Without others it is always the same, so that a process that
    /// was started again need not wait for the end of its own claim.
    private let sender: Int64
    private let store: any Store
    /// Returns the address of this collector, for links.
    private let address: @Sendable () -> String
    private let log: Log
    private let now: @Sendable () -> Int64
    private let statuses: Guarded<[ChannelStatus]>
    private let isStopping = Guarded(false)

    /// - Parameter isAlone: `true` if no other process can use the database.
    init(
        _ channels: [Channel], allowsPrivateAddresses: Bool, isAlone: Bool, store: any Store,
        address: @escaping @Sendable () -> String, log: Log, now: @escaping @Sendable () -> Int64
    ) {
        self.channels = channels
        self.allowsPrivateAddresses = allowsPrivateAddresses
        sender = isAlone ? 0 : .random(in: 1 ... .max)
        self.store = store
        self.address = address
        self.log = log
        self.now = now
        statuses = Guarded(channels.map { ChannelStatus(name: $0.name, format: $0.format) })
    }

    /// The state of each channel, in the order of the setting.
    var currentStatuses: [ChannelStatus] { statuses.with { $0 } }

    func stop() {
        isStopping.with { $0 = true }
        isStopping.wakeAll()
    }

    #if os(Linux)
        func start() throws -> WorkerThread {
            // Created here, but used only on the thread.
            nonisolated(unsafe) let reader = try store.makeReader()
            nonisolated(unsafe) let client = try ChannelClient(
                allowsPrivateAddresses: allowsPrivateAddresses)
            return WorkerThread(name: "notifications") { [self] in
                let senders = channels.map { channel in
                    unsafe ChannelSender(
                        channel, store: store, reader: reader, sender: sender, send: client.send)
                }
                repeat {
                    for (index, sender) in senders.enumerated() { run(sender, number: index) }
                } while !(isStopping.wait(timeout: Self.interval) { $0 ? true : nil } ?? false)
            }
        }
    #endif

    private func run(_ sender: ChannelSender, number: Int) {
        let failure = sender.status.failure
        do throws(StoreError) {
            for _ in 0..<Self.maxMessages where !isStopping.with({ $0 }) {
                guard try sender.runStep(now: now(), address: address()) else { break }
            }
        } catch {
            // MaintenanceLoop logs that the database is unreachable or damaged.
            guard error.reason != .unavailable, error.reason != .locked, error.reason != .damaged else {
                return
            }
            log.warning("events could not be sent to \(sender.channel.name): \(error)")
        }
        let status = sender.status
        statuses.with { $0[number] = status }
        guard status.failure != failure else { return }
        if let failure = status.failure {
            log.warning("a message to \(status.name) failed, and is sent again until it arrives: \(failure)")
        } else {
            log.info("messages to \(status.name) arrive again")
        }
    }
}
