internal import LeakPlatform

/// An event loop on one thread. It waits for events of its connections, reads requests, calls the service and writes responses.
///
/// Loops share only the service, the limiter of connections and the published counters.
@safe
final class Loop: @unchecked Sendable {
    // `@unchecked` is safe: a loop is created on one thread, then used only on its own thread. Other threads use only `messageQueue` and
    // `publishedCounters`.
    let service: any Service
    let limits: Limits
    let observers: Observers
    let trustedProxies: TrustedProxies
    /// `true` if an observer of responses exists. The value is stored because it is read for each request.
    let isObserved: Bool
    /// ``Limits/serviceTime`` in milliseconds: a longer call of the service is reported.
    let slowMilliseconds: UInt64
    let messageQueue: MessageQueue
    let publishedCounters = Guarded(Counters())
    let limiter: ConnectionLimiter
    /// The loop's number in the limiter.
    let loopNumber: Int
    let waker: Waker
    let poller: SystemPoller

    var listeners: [ListeningSocket]
    var connections: [Connection?] = []
    var freeIndexes: [UInt32] = []
    /// Connections whose requests wait for the next turn.
    var deferredConnections: [ConnectionID] = []
    /// The generation in the id of the newest connection.
    var generation: UInt32 = 0
    /// A spare descriptor, used when no other descriptor is left.
    var spareDescriptor: SpareDescriptor?
    /// The time when accepting resumes after descriptors or memory ran out, in milliseconds on the monotonic clock; `nil` while
    /// the loop accepts.
    var acceptResumesAt: UInt64?
    /// Candidates for eviction, found by the last scan of all connections.
    var evictionCandidates = EvictionCandidates()
    /// The earliest time of the next scan for ``evictionCandidates``, in milliseconds on the monotonic clock.
    var nextScan: UInt64 = 0

    /// Buffer for the next read of any connection that has no input buffer of its own.
    var readBuffer = Buffer(capacity: Loop.readBufferBytes)
    /// Bytes of the responses of the connection that is being handled, and of no other: each turn ends with ``finishTurn(_:)``
    /// or ``close(_:)``, and both empty this buffer.
    let output = Buffer(capacity: 64 << 10)
    /// The connection whose request the service is handling.
    var servedConnection: Connection?
    var pool = BufferPool()
    let uploadMemory = UploadMemory()
    /// This loop's part of ``Limits/uploadBytes``.
    let uploadByteLimit: Int
    var parser: HeadParser
    var decoder: BodyDecoder
    let writer = ResponseWriter()
    /// `nil` if requests have no identifiers.
    var requestIDs: RequestIDGenerator?
    var counters = Counters()
    /// The time when ``counters`` were last published, in milliseconds on the monotonic clock.
    private var publishedAt: UInt64 = 0
    /// `false` if ``counters`` may have changed since they were published.
    private var areCountersPublished = true

    /// Milliseconds on the monotonic clock, read once per turn.
    var now: UInt64
    /// The time when the turn began or, later in the turn, when the service last returned.
    var callStart: UInt64
    /// The time of the next check of deadlines, in milliseconds on the monotonic clock.
    var nextDeadlineCheck: UInt64
    /// The shortest interval between two checks of deadlines, in milliseconds: a quarter of ``shortestLimitMilliseconds``, but
    /// at least 5 and at most 250.
    let tickMilliseconds: UInt64
    /// ``Limits/idleTime`` in milliseconds. The idle time starts again with each request.
    let idleMilliseconds: UInt64
    /// The shortest of the time limits, in milliseconds.
    let shortestLimitMilliseconds: UInt64
    /// The time at which the loop ends at the latest, in milliseconds on the monotonic clock; `nil` until it is asked to stop.
    var stopDeadline: UInt64?

    private static let readBufferBytes = 64 << 10

    final class ListeningSocket {
        let listener: Listener
        init(_ listener: consuming Listener) { self.listener = listener }
    }

    final class SpareDescriptor {
        let descriptor: Descriptor
        init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
    }

    init(
        service: any Service, limits: Limits, observers: Observers, trustedProxies: TrustedProxies,
        requestIDs: RequestIDGenerator? = nil, limiter: ConnectionLimiter, uploadByteLimit: Int,
        listeners: [ListeningSocket]
    ) throws(SystemError) {
        self.service = service
        self.limits = limits
        self.observers = observers
        self.trustedProxies = trustedProxies
        self.requestIDs = requestIDs
        isObserved = observers.onAnswer != nil
        slowMilliseconds = limits.serviceTime.milliseconds
        self.limiter = limiter
        self.uploadByteLimit = uploadByteLimit
        self.listeners = listeners
        waker = try Waker()
        messageQueue = MessageQueue(waker: waker)
        loopNumber = limiter.register(messageQueue)
        poller = try SystemPoller()
        spareDescriptor = SpareDescriptor(try Descriptor.openSpare())
        parser = HeadParser(limits: limits)
        decoder = BodyDecoder(limits: limits)
        now = Loop.clock
        callStart = now
        idleMilliseconds = limits.idleTime.milliseconds
        let shortestTime = [
            limits.headTime, limits.bodyTime, limits.idleTime, limits.writeTime, limits.lingerTime,
            limits.lingerTotalTime,
        ].min()
        shortestLimitMilliseconds = shortestTime?.milliseconds ?? 1000
        tickMilliseconds = min(250, max(5, shortestLimitMilliseconds / 4))
        nextDeadlineCheck = now + tickMilliseconds
        try poller.add(waker.number, token: Self.wakerToken, for: .read)
        for (index, socket) in listeners.enumerated() {
            try poller.add(
                socket.listener.descriptor.number, token: Self.listenerToken + UInt64(index), for: .read)
        }
    }

    /// Runs until the loop is asked to stop.
    func run() {
        messageQueue.setThread(of: self)
        while true {
            let count = poller.wait(milliseconds: waitMilliseconds)
            now = Loop.clock
            callStart = now
            writer.setTime(Int(SystemTime.coarseWall / 1000))
            let waitingConnections = deferredConnections
            deferredConnections.removeAll(keepingCapacity: true)
            for index in 0..<count { handle(poller.event(at: index)) }
            continueDeferred(with: waitingConnections)
            if now >= nextDeadlineCheck {
                expire()
                pool.trim()
            }
            if now > publishedAt { publish() } else { areCountersPublished = false }
            if let stopDeadline, counters.openConnections == 0 || now >= stopDeadline { break }
        }
        for case let connection? in connections { close(connection) }
        listeners = []
        publish()
        messageQueue.close()
    }

    /// The timeout of the next wait in milliseconds: the time until the next deadline, or -1 (no timeout) if nothing is pending.
    private var waitMilliseconds: Int32 {
        guard deferredConnections.isEmpty else { return 0 }
        if !areCountersPublished { return 1 }
        guard counters.openConnections > 0 || acceptResumesAt != nil || stopDeadline != nil || !pool.isEmpty
        else {
            return -1
        }
        let wakeTime = min(nextDeadlineCheck, stopDeadline ?? .max)
        return Int32(clamping: wakeTime > now ? wakeTime - now : 0)
    }

    /// Returns an empty buffer to read into: the buffer of the previous call, unless a response still refers to its bytes.
    func freshReadBuffer() -> Buffer {
        if readBuffer.isShared && !isKnownUniquelyReferenced(&readBuffer) {
            pool.release(readBuffer)
            readBuffer = pool.take(Self.readBufferBytes)
        }
        readBuffer.recycle()
        return readBuffer
    }

    private func handle(_ event: SocketEvent) {
        switch event.token {
        case Self.wakerToken: readMessages()
        case Self.listenerToken...: accept(from: Int(event.token - Self.listenerToken))
        default:
            guard let connection = connection(ConnectionID(token: event.token)) else { return }
            serve(connection, event)
            if uploadMemory.bytes > uploadByteLimit { endUploadsOverLimit() }
        }
    }

    private func serve(_ connection: Connection, _ event: SocketEvent) {
        if event.isGone && !connection.interest.contains(.read) {
            // Otherwise the event would repeat as long as nothing is read.
            close(connection)
            return
        }
        if event.isWritable && connection.pendingOutput != nil {
            guard sendPendingOutput(connection) else { return }
        }
        resume(connection)
        if event.isReadable || event.isGone {
            guard receive(connection) else { return }
        }
        finishTurn(connection)
    }

    /// Defers the remaining requests of a connection to the next turn, so that a peer that sends thousands of requests at once
    /// delays the other peers no longer than a peer that sends a few.
    func deferRequests(of connection: Connection) {
        connection.isDeferred = true
        deferredConnections.append(connection.id)
    }

    /// Milliseconds of the monotonic clock, with the precision of the kernel's tick.
    static var clock: UInt64 { UInt64(SystemTime.coarseMonotonic) }

    /// Milliseconds after which a turn defers the remaining deferred connections to the next turn; at least one connection is
    /// always served.
    private static let deferredMilliseconds: UInt64 = 10

    private func continueDeferred(with waitingConnections: [ConnectionID]) {
        for (index, id) in waitingConnections.enumerated() {
            guard index == 0 || Loop.clock < now + Self.deferredMilliseconds else {
                deferredConnections.insert(contentsOf: waitingConnections[index...], at: 0)
                return
            }
            guard let connection = connection(id) else { continue }
            connection.isDeferred = false
            if let upload = connection.upload, upload.isComplete { complete(connection, upload) }
            resume(connection)
            finishTurn(connection)
        }
    }

    func connection(_ id: ConnectionID) -> Connection? {
        guard id.index < connections.count, let connection = connections[Int(id.index)], connection.id == id
        else {
            return nil
        }
        return connection
    }

    /// Handles the responses and new connections from other threads, and a request to stop.
    private func readMessages() {
        let messages = messageQueue.take()
        var currentConnection: Connection?
        for answer in messages.answers {
            guard let connection = connection(answer.connection) else { continue }
            if let currentConnection, currentConnection !== connection {
                resume(currentConnection)
                finishTurn(currentConnection)
            }
            currentConnection = connection
            self.answer(connection, answer)
        }
        if let currentConnection {
            resume(currentConnection)
            finishTurn(currentConnection)
        }
        // If the loop is stopping, new connections are closed when their box is released.
        for box in messages.acceptedConnections where stopDeadline == nil {
            if let incoming = box.take() { admit(incoming, mayAskOtherLoop: false) }
        }
        if let deadline = messages.stopDeadline { stop(by: deadline) }
    }

    /// Returns `true` if a request of this connection is being served. Then ``output`` is for its responses.
    func isServing(_ id: ConnectionID) -> Bool { servedConnection?.id == id }

    /// Writes a response that the service gives on the loop's own thread, while a request of its connection is being served.
    func sendWhileServing(_ answer: consuming AddressedResponse) {
        guard let servedConnection else { return }
        self.answer(servedConnection, answer)
    }

    /// Accepts the waiting connections, closes the listeners and idle connections, and lets the other connections finish.
    private func stop(by deadline: UInt64) {
        guard stopDeadline == nil else {
            stopDeadline = min(stopDeadline ?? deadline, deadline)
            return
        }
        // This accepts as many connections as may wait in the system's accept queue.
        for index in listeners.indices {
            for _ in 0...Int(Listener.backlog) / Self.maxAcceptedPerTurn { accept(from: index) }
        }
        for socket in listeners { poller.remove(socket.listener.descriptor.number, from: .read) }
        listeners = []
        acceptResumesAt = nil
        stopDeadline = deadline
        for case let connection? in connections where connection.phase == .open {
            // A request may have arrived without having been reported yet.
            guard receive(connection) else { continue }
            finishTurn(connection)
        }
    }

    /// Publishes the counters, at most once per millisecond, so that the lock does not slow down responses.
    private func publish() {
        let counters = counters
        publishedCounters.with { $0 = counters }
        publishedAt = now
        areCountersPublished = true
    }

    /// Greater than all tokens of connections: a connection's token has the generation in its upper 32 bits, and generation
    /// `UInt32.max` is never used.
    static let wakerToken = UInt64(UInt32.max) << 32
    /// The token of the first listener. The token of each further listener is higher by its index.
    static let listenerToken = UInt64(UInt32.max) << 32 + 1
}
