import Foundation
import LeakHTTPClient
import LeakHTTPServer
import LeakPlatform
import LeakSeededRandom
import Testing

@testable import LeakCollector
@testable import LeakStore

/// The delivery of events to a channel, under a scripted clock and with a scripted receiver.
@Suite struct ChannelSenderTests {
    private static let noon: Int64 = 1_795_176_000_000
    private static let hour: Int64 = 3_600_000
    private let folder = NSTemporaryDirectory() + "channels-\(UUID().uuidString)"
    private let store: any Store

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try SQLiteStore(path: folder + "/leaks.sqlite", exclusive: false)
    }

    private func record(_ numbers: Range<Int>, _ kind: Event.Kind = .newLeak) throws {
        let events = numbers.map {
            Event(
                at: Self.noon + Int64($0), kind: kind, app: AppKey("shop"), version: "1.0", key: "\($0)",
                title: "Class\($0)", text: "Class\($0) leaks")
        }
        _ = try store.record(events, mark: nil)
    }

    /// The identifiers of webhook messages and the texts of others that a receiver accepted.
    private final class Receiver: Sendable {
        let messages = Guarded<[String]>([])
        /// Returns the outcome of the next request, and whether the receiver has read it.
        let outcome = Guarded<@Sendable () -> (ChannelSender.Outcome, isRead: Bool)>({ (.accepted, true) })

        var all: [String] { messages.with { $0 } }

        func receive(_ request: ChannelRequest) -> ChannelSender.Outcome {
            let (outcome, isRead) = outcome.with { $0 }()
            if isRead {
                let id = request.fields.first { $0.name == "webhook-id" }?.value
                messages.with { $0.append(id ?? String(decoding: request.body, as: UTF8.self)) }
            }
            return outcome
        }
    }

    private func sender(
        _ address: String = "https://example.com/", to receiver: Receiver, number: Int64 = 1
    ) throws -> ChannelSender {
        ChannelSender(
            try Channel(address), store: store, reader: try store.makeReader(), sender: number,
            send: receiver.receive)
    }

    /// Runs all steps that are due at a time.
    private func run(_ sender: ChannelSender, at time: Int64 = noon) throws {
        while try sender.runStep(now: time, address: "https://leaks.example") {}
    }

    @Test func `events from before the first start are not sent, later ones once and in order`() throws {
        try record(0..<3)
        let receiver = Receiver()
        let first = try sender(to: receiver)
        try run(first)
        #expect(receiver.all == [])
        try record(3..<150)
        try run(first)
        try run(first)
        let expected = (3..<150).map { "evt_\($0 + 1)_\(Self.noon + Int64($0))" }
        #expect(receiver.all == expected)
        try record(150..<151)
        try run(try sender(to: receiver))
        #expect(receiver.all.count == 148)
        #expect(first.status.sentCount == 147 && first.status.lastSent == Self.noon)
    }

    @Test func `an hour has at most N messages, of which the last lists all events that wait`() throws {
        let receiver = Receiver()
        let sender = try sender("https://hooks.slack.com/x#hourly=3", to: receiver)
        try run(sender)
        try record(0..<20)
        try run(sender)
        #expect(receiver.all.count == 3)
        #expect(receiver.all[2].contains("18 events, the first: New leak: shop 1.0"))
        #expect(receiver.all[2].contains("and 8 more"))
        try record(20..<22)
        try run(sender, at: Self.noon + Self.hour - 1)
        #expect(receiver.all.count == 3)
        try run(sender, at: Self.noon + Self.hour)
        #expect(receiver.all.count == 5 && receiver.all[3].contains("Class20 leaks"))
        // Another process knows how many messages were sent.
        try record(22..<30)
        try run(
            try self.sender("https://hooks.slack.com/x#hourly=3", to: receiver), at: Self.noon + Self.hour)
        #expect(receiver.all.count == 6 && receiver.all[5].contains("8 events"))
    }

    @Test func `a message that fails is sent again after a growing time, and after that of Retry-After`()
        throws
    {
        let receiver = Receiver()
        let sender = try sender(to: receiver)
        try run(sender)
        try record(0..<2)
        receiver.outcome.with { $0 = { (.failed("status 503"), false) } }
        var attempts = 0
        for second in 0..<7200 {
            let before = sender.status.failureCount
            try run(sender, at: Self.noon + Int64(second) * 1000)
            attempts += sender.status.failureCount - before
        }
        #expect((5..<100).contains(attempts) && sender.status.failure == "status 503")
        let late = Self.noon + 3 * Self.hour
        receiver.outcome.with { $0 = { (.failed("status 429", retrySeconds: 600), false) } }
        try run(sender, at: late)
        receiver.outcome.with { $0 = { (.accepted, true) } }
        try run(sender, at: late + 599_000)
        #expect(receiver.all == [])
        try run(sender, at: late + 2 * Self.hour)
        #expect(receiver.all.count == 2 && sender.status.failure == nil)
    }

    @Test func `a clock that was set back does not stop a channel`() throws {
        let receiver = Receiver()
        let sender = try sender(to: receiver)
        try run(sender)
        try record(0..<1)
        receiver.outcome.with { $0 = { (.failed("x", retrySeconds: 3600), false) } }
        try run(sender, at: Self.noon + 1000 * Self.hour)
        receiver.outcome.with { $0 = { (.accepted, true) } }
        try run(sender)
        #expect(receiver.all.count == 1)
    }

    /// Processes that are killed at any point, and receivers that fail, or fail after they have read a message.
    @Test(arguments: 0..<6)
    func `each event arrives, in order, and only after a kill or a failure again, with the same identifier`(
        seed: UInt64
    ) throws {
        struct Killed: Error {}
        var random = SeededRandom(seed: seed)
        let receiver = Receiver()
        let faults = Guarded(SeededRandom(seed: seed &+ 100))
        receiver.outcome.with { outcome in
            outcome = {
                faults.with { faults in
                    switch Int.random(in: 0..<10, using: &faults) {
                    case 0..<2: (.failed("unreachable"), false)
                    case 2: (.failed("timed out"), true)
                    default: (.accepted, true)
                    }
                }
            }
        }
        var now = Self.noon
        var senders = [try sender(to: receiver, number: 1), try sender(to: receiver, number: 2)]
        try run(senders[0], at: now)
        var recorded = 0
        for step in 0..<400 {
            now += Int64.random(in: 0..<30_000, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0, recorded < 120 {
                let count = Int.random(in: 1..<5, using: &random)
                try record(recorded..<recorded + count)
                recorded += count
            }
            let index = Int.random(in: 0..<2, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                // Killed between two messages: the next process begins with the stored position.
                senders[index] = try sender(to: receiver, number: Int64(step) + 10)
            case 1:
                // Killed after a message, before its position was stored.
                let kind = KilledStore(store: store)
                let killed = ChannelSender(
                    try Channel("https://example.com/"), store: kind, reader: try store.makeReader(),
                    sender: Int64(step) + 1000, send: receiver.receive)
                do { while try killed.runStep(now: now, address: "") {} } catch {}
            default:
                _ = try senders[index].runStep(now: now, address: "")
            }
        }
        receiver.outcome.with { $0 = { (.accepted, true) } }
        for _ in 0..<4 {
            now += 2 * Self.hour
            for sender in senders { try run(sender, at: now) }
        }
        let expected = (0..<recorded).map { "evt_\($0 + 1)_\(Self.noon + Int64($0))" }
        var firstArrivals: [String] = []
        for id in receiver.all where !firstArrivals.contains(id) { firstArrivals.append(id) }
        #expect(recorded > 50 && firstArrivals == expected)
    }

    /// A store of a process that is killed before it stores a position.
    private struct KilledStore: ForwardingStore {
        let store: any Store

        func move(
            channel: String, to position: ChannelPosition, by sender: Int64
        ) throws(StoreError) -> Bool {
            throw StoreError(.unavailable, "killed")
        }
    }

    // MARK: Over HTTP

    /// A service that records requests and answers them.
    private struct RecordingService: Service {
        let requests: Guarded<[(id: String?, body: String)]>
        let status: Status

        func serve(_ request: borrowing Request, _ responder: consuming Responder) {
            let received = (
                request.field("webhook-id"), String(decoding: request.body(), as: UTF8.self)
            )
            requests.with { $0.append(received) }
            responder.send(Response(status, type: "text/plain", body: .bytes(Array("no\nthanks".utf8))))
        }
    }

    @Test(arguments: [
        (Status.ok, ChannelSender.Outcome.accepted),
        (
            .forbidden,
            .failed(
                "status 403: the address is not valid any more, or lacks a permission: no thanks")
        ),
    ])
    func `a request reaches a receiver, whose answer decides`(
        status: Status, outcome: ChannelSender.Outcome
    ) throws {
        let requests = Guarded<[(id: String?, body: String)]>([])
        let server = try Server(
            Server.Configuration(host: "127.0.0.1", port: 0),
            service: RecordingService(requests: requests, status: status))
        server.start()
        defer { server.stop(within: .seconds(1)) }
        try record(0..<1)
        let event = try #require(try store.makeReader().events(EventQuery(.after(0), limit: 1)).first)
        let message = ChannelMessage(events: [event], address: "https://leaks.example", time: Self.noon)
        let request = message.request(to: try Channel("http://127.0.0.1:\(server.port)/hook"))
        #expect(try ChannelClient(allowsPrivateAddresses: true).send(request) == outcome)
        #expect(requests.with { $0.map(\.id) } == [message.id])
        let blocked = try ChannelClient(allowsPrivateAddresses: false).send(request)
        guard case .failed(let reason, nil) = blocked else {
            Issue.record("\(blocked)")
            return
        }
        #expect(reason.contains("set COLLECTOR_NOTIFY_PRIVATE to yes"))
        #expect(requests.with { $0.count } == 1)
    }
}
