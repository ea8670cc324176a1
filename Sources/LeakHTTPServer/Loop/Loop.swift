internal import LeakPlatform

/// One thread's share of the connections: waits, reads, lets the service answer, writes.
///
/// Nothing is shared with other loops but the service, the budget of connections and the published counters.
@safe
final class Loop: @unchecked Sendable {
    // Unchecked: made on one thread, then used on the loop's own alone; other threads use `mailbox` and
    // `published`.
    let service: any Service
    let limits: Limits
    let observers: Observers
    let trustedProxies: TrustedProxies
    /// Whether answers are told of: asked for each request, and so not looked up.
    let isObserved: Bool
    let slowMilliseconds: UInt64
    let mailbox: Mailbox
    let published = Guarded(Counters())
    let budget: ConnectionBudget
    /// The loop's number in the budget.
    let place: Int
    let waker: Waker
    let poller: SystemPoller

    var listeners: [ListeningSocket]
    var connections: [Connection?] = []
    var freeSlots: [UInt32] = []
    /// Whose requests wait for the next turn.
    var queued: [ConnectionID] = []
    var generation: UInt32 = 0
    /// Given away when descriptors run out.
    var reserve: Reserve?
    /// When listeners are watched again after descriptors ran out.
    var acceptsAgain: UInt64?
    /// Who goes first when there is no room, and when all connections may be looked at again to find out.
    var shortlist = Shortlist()
    var nextScan: UInt64 = 0

    /// What is read next, for whichever connection.
    var scratch = Buffer(capacity: Loop.scratchBytes)
    /// Answers of the connection whose turn it is, and of no other: each turn ends with ``settle(_:)`` or
    /// ``close(_:)``, and both leave it empty.
    let output = Buffer(capacity: 64 << 10)
    /// Whose request the service has before it.
    var serving: Connection?
    var pool = BufferPool()
    let uploadMemory = UploadMemory()
    /// This loop's part of ``Limits/uploadBytes``.
    let uploadShare: Int
    var parser: HeadParser
    var decoder: BodyDecoder
    let writer = ResponseWriter()
    var counters = Counters()
    private var publishedAt: UInt64 = 0
    private var isPublished = true

    /// Milliseconds on the monotonic clock, read once per turn.
    var now: UInt64
    /// When the turn began or, later in it, when the service last returned.
    var lookedAt: UInt64
    var nextTick: UInt64
    /// How often deadlines are looked at: a quarter of a second, or finer where a limit is short.
    let tick: UInt64
    /// ``Limits/idleTime``: each request begins it anew.
    let idleMilliseconds: UInt64
    /// Milliseconds.
    let shortestLimit: UInt64
    /// When the loop ends at the latest, once asked to.
    var stopDeadline: UInt64?

    private static let scratchBytes = 64 << 10

    final class ListeningSocket {
        let listener: Listener
        init(_ listener: consuming Listener) { self.listener = listener }
    }

    final class Reserve {
        let descriptor: Descriptor
        init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
    }

    init(
        service: any Service, limits: Limits, observers: Observers, trustedProxies: TrustedProxies,
        budget: ConnectionBudget, uploadShare: Int, listeners: [ListeningSocket]
    ) throws(SystemError) {
        self.service = service
        self.limits = limits
        self.observers = observers
        self.trustedProxies = trustedProxies
        isObserved = observers.onAnswer != nil
        slowMilliseconds = limits.serviceTime.milliseconds
        self.budget = budget
        self.uploadShare = uploadShare
        self.listeners = listeners
        waker = try Waker()
        mailbox = Mailbox(waker: waker)
        place = budget.join(mailbox)
        poller = try SystemPoller()
        reserve = Reserve(try Descriptor.reserve())
        parser = HeadParser(limits: limits)
        decoder = BodyDecoder(limits: limits)
        now = Loop.clock
        lookedAt = now
        idleMilliseconds = limits.idleTime.milliseconds
        let shortest = [
            limits.headTime, limits.bodyTime, limits.idleTime, limits.writeTime, limits.lingerTime,
            limits.lingerTotalTime,
        ].min()
        shortestLimit = shortest?.milliseconds ?? 1000
        tick = min(250, max(5, shortestLimit / 4))
        nextTick = now + tick
        try poller.add(waker.number, token: Self.wakerToken, for: .read)
        for (index, socket) in listeners.enumerated() {
            try poller.add(
                socket.listener.descriptor.number, token: Self.listenerToken + UInt64(index), for: .read)
        }
    }

    /// Works until asked to stop.
    func run() {
        mailbox.adopt(self)
        while true {
            let count = poller.wait(milliseconds: patience)
            now = Loop.clock
            lookedAt = now
            writer.setTime(Int(SystemTime.roughWall / 1000))
            let waited = queued
            queued.removeAll(keepingCapacity: true)
            for index in 0..<count { handle(poller.event(at: index)) }
            goOn(with: waited)
            if now >= nextTick {
                expire()
                pool.trim()
            }
            if now > publishedAt { publish() } else { isPublished = false }
            if let stopDeadline, counters.open == 0 || now >= stopDeadline { break }
        }
        for case let connection? in connections { close(connection) }
        listeners = []
        publish()
        mailbox.close()
    }

    /// Milliseconds until something is due; without connections nothing is.
    private var patience: Int32 {
        guard queued.isEmpty else { return 0 }
        if !isPublished { return 1 }
        guard counters.open > 0 || acceptsAgain != nil || stopDeadline != nil || !pool.isEmpty else {
            return -1
        }
        let due = min(nextTick, stopDeadline ?? .max)
        return Int32(clamping: due > now ? due - now : 0)
    }

    /// A buffer to read into: another one while an answer still holds what was read last.
    func emptyScratch() -> Buffer {
        if scratch.isShared && !isKnownUniquelyReferenced(&scratch) {
            pool.give(scratch)
            scratch = pool.take(Self.scratchBytes)
        }
        scratch.recycle()
        return scratch
    }

    private func handle(_ event: Event) {
        switch event.token {
        case Self.wakerToken: readMail()
        case Self.listenerToken...: accept(from: Int(event.token - Self.listenerToken))
        default:
            guard let connection = connection(ConnectionID(token: event.token)) else { return }
            serve(connection, event)
            if uploadMemory.bytes > uploadShare { endUploadsBeyondShare() }
        }
    }

    private func serve(_ connection: Connection, _ event: Event) {
        if event.isGone && !connection.interest.contains(.read) {
            // Reported again and again otherwise, while nothing is read.
            close(connection)
            return
        }
        if event.isWritable && connection.outgoing != nil {
            guard sendQueued(connection) else { return }
        }
        resume(connection)
        if event.isReadable || event.isGone {
            guard receive(connection) else { return }
        }
        settle(connection)
    }

    /// Leaves the rest of the requests that are here for the next turn: one peer that sends thousands at once holds up
    /// all others no longer than a few.
    func queue(_ connection: Connection) {
        connection.isQueued = true
        queued.append(connection.id)
    }

    /// Milliseconds of a clock that nobody sets, as old as the kernel's last tick.
    static var clock: UInt64 { UInt64(SystemTime.roughMonotonic) }

    /// Milliseconds of a turn after which queued requests wait for the next, but for one.
    private static let queuedTime: UInt64 = 10

    private func goOn(with waited: [ConnectionID]) {
        for (index, id) in waited.enumerated() {
            guard index == 0 || Loop.clock < now + Self.queuedTime else {
                queued.insert(contentsOf: waited[index...], at: 0)
                return
            }
            guard let connection = connection(id) else { continue }
            connection.isQueued = false
            if let upload = connection.upload, upload.isComplete { complete(connection, upload) }
            resume(connection)
            settle(connection)
        }
    }

    func connection(_ id: ConnectionID) -> Connection? {
        guard id.slot < connections.count, let connection = connections[Int(id.slot)], connection.id == id
        else {
            return nil
        }
        return connection
    }

    /// Answers that other threads have left, and the wish to stop.
    private func readMail() {
        let mail = mailbox.take()
        var current: Connection?
        for answer in mail.answers {
            guard let connection = connection(answer.connection) else { continue }
            if let current, current !== connection {
                resume(current)
                settle(current)
            }
            current = connection
            self.answer(connection, answer)
        }
        if let current {
            resume(current)
            settle(current)
        }
        // Who comes while the loop stops is closed with the parcel.
        for parcel in mail.newcomers where stopDeadline == nil {
            if let newcomer = parcel.take() { admit(newcomer, passesOn: false) }
        }
        if let deadline = mail.stop { stop(by: deadline) }
    }

    /// Whether a request of this connection is being served, so that ``output`` is for its answers.
    func isServing(_ id: ConnectionID) -> Bool { serving?.id == id }

    /// Takes an answer given on the loop's own thread while a request of its connection is being served.
    func take(_ answer: consuming Answer) {
        guard let serving else { return }
        self.answer(serving, answer)
    }

    /// Accepts what is waiting, lets go of the listeners and of idle connections, and lets the rest finish.
    private func stop(by deadline: UInt64) {
        guard stopDeadline == nil else {
            stopDeadline = min(stopDeadline ?? deadline, deadline)
            return
        }
        // As many as the system may hold ready.
        for index in listeners.indices {
            for _ in 0...Int(Listener.backlog) / Self.acceptedPerTurn { accept(from: index) }
        }
        for socket in listeners { poller.remove(socket.listener.descriptor.number, from: .read) }
        listeners = []
        acceptsAgain = nil
        stopDeadline = deadline
        for case let connection? in connections where connection.phase == .open {
            // A request may have come that was not reported yet.
            guard receive(connection) else { continue }
            settle(connection)
        }
    }

    /// Once in a millisecond at most: the lock is no part of answering.
    private func publish() {
        let counters = counters
        published.with { $0 = counters }
        publishedAt = now
        isPublished = true
    }

    /// Above all slots: a token of a connection has at most 32 bits of generation before its slot, and
    /// generation `UInt32.max` is never given.
    static let wakerToken = UInt64(UInt32.max) << 32
    static let listenerToken = UInt64(UInt32.max) << 32 + 1
}
