internal import Threads

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One thread that serves its connections: waits, reads, parses, asks the service, writes.
///
/// Public functions may be called from any thread; everything private runs on the loop's own.
final class EventLoop: @unchecked Sendable {
    // Unchecked: what is shared between threads is in `mailbox`, `published` and `alarm`; the rest belongs to the loop.

    /// What other threads ask of the loop.
    private struct Mailbox {
        var answers: [(Ticket, Response)] = []
        /// Monotonic milliseconds by which everything ends.
        var stopBy: Int64?
        var isRung = false
    }

    private let mailbox = Guarded(Mailbox())
    private let published = Guarded(Counters())
    private let alarm: Alarm
    private let poller: Poller
    private var listener: Listener?
    private let service: any Service
    private let limits: Limits
    /// Connections of this loop at most.
    private let share: Int

    private var connections: [UInt64: Connection] = [:]
    private var nextID: UInt64 = firstID
    private var counters = Counters()
    private var date = DateField()
    private var now: Int64 = 0
    private var stopBy: Int64?
    /// Set while no descriptor is left: accepting starts again then.
    private var acceptAgain: Int64?
    /// Given up for a moment to shed a connection when no descriptor is left.
    private var reserve: Int32
    private var thread: pthread_t?

    /// Lent to each read.
    private let buffer: UnsafeMutableRawBufferPointer
    /// Lent to each parse.
    private var head = Head()
    /// Storage for answers of the connection at hand, kept from one to the next.
    private var spareOutbox: [UInt8] = []

    private static let listenerID: UInt64 = 0
    private static let alarmID: UInt64 = 1
    private static let firstID: UInt64 = 2
    private static let readBytes = 64 * 1024
    /// How late a timeout may be noticed.
    private static let tickMilliseconds: Int32 = 250
    private static let acceptPause: Int64 = 100
    /// An outbox that grew beyond this is not kept for the next answer.
    private static let keptOutboxBytes = 256 * 1024

    init(listener: consuming Listener, service: any Service, limits: Limits, share: Int) throws(Errno) {
        self.service = service
        self.limits = limits
        self.share = share
        alarm = try Alarm()
        poller = try Poller()
        reserve = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        unsafe buffer = .allocate(byteCount: Self.readBytes, alignment: 16)
        self.listener = consume listener
    }

    deinit {
        unsafe buffer.deallocate()
        if reserve >= 0 { close(reserve) }
    }

    // MARK: From any thread

    /// Brings the answer to a request; late ones, of connections that are gone, go nowhere.
    func answer(_ ticket: Ticket, _ response: Response) {
        if let thread, pthread_equal(thread, pthread_self()) != 0 {
            settle(ticket, response)
            return
        }
        post { $0.answers.append((ticket, response)) }
    }

    /// Takes no more connections and ends once the open ones are done, or at `deadline`.
    func stop(by deadline: Int64) {
        post { $0.stopBy = deadline }
    }

    var latestCounters: Counters { published.with { $0 } }

    private func post(_ change: (inout Mailbox) -> Void) {
        let mustRing = mailbox.with { mailbox in
            change(&mailbox)
            defer { mailbox.isRung = true }
            return !mailbox.isRung
        }
        if mustRing { alarm.ring() }
    }

    // MARK: The loop

    func run() {
        thread = pthread_self()
        now = MonotonicClock.milliseconds()
        do throws(Errno) {
            try poller.add(alarm.number, token: Self.alarmID, interest: .readable)
            if let number = listener?.number {
                try poller.add(number, token: Self.listenerID, interest: .readable)
            }
        } catch {
            preconditionFailure("a poller that takes no descriptor: \(error)")
        }
        var events: [Readiness] = []
        var lastTick = now
        while !isOver {
            let isQuiet = connections.isEmpty && acceptAgain == nil && stopBy == nil
            poller.wait(milliseconds: isQuiet ? -1 : Self.tickMilliseconds, into: &events)
            now = MonotonicClock.milliseconds()
            date.update()
            for event in events { handle(event) }
            if now - lastTick >= Int64(Self.tickMilliseconds) || isQuiet {
                lastTick = now
                tick()
            }
        }
        for connection in connections.values { close(connection.socket) }
        connections.removeAll()
        publish()
    }

    private var isOver: Bool {
        guard let stopBy else { return false }
        return connections.isEmpty || now >= stopBy
    }

    private func handle(_ event: Readiness) {
        switch event.token {
        case Self.listenerID: acceptAll()
        case Self.alarmID: readMail()
        default:
            guard let connection = connections[event.token] else { return }
            if event.isReadable { read(connection) }
            // Reading may have ended it.
            guard connections[event.token] === connection else { return }
            if event.isWritable { flush(connection) }
            guard connections[event.token] === connection else { return }
            if event.isBroken && !event.isReadable { drop(connection) }
        }
    }

    private func readMail() {
        alarm.silence()
        let mail = mailbox.with { mailbox in
            defer {
                mailbox.answers = []
                mailbox.isRung = false
            }
            return mailbox
        }
        if let deadline = mail.stopBy, stopBy == nil { beginStop(by: deadline) }
        for (ticket, response) in mail.answers { settle(ticket, response) }
    }

    private func beginStop(by deadline: Int64) {
        stopBy = deadline
        if let number = listener?.number { poller.remove(number) }
        listener = nil
        for connection in connections.values {
            if case .lingering = connection.phase {
                drop(connection)
            } else if connection.isIdle {
                drop(connection)
            }
        }
    }

    private func tick() {
        if let again = acceptAgain, now >= again, let number = listener?.number {
            acceptAgain = nil
            try? poller.add(number, token: Self.listenerID, interest: .readable)
        }
        for connection in connections.values {
            if let deadline = connection.deadline(limits), now >= deadline { expire(connection) }
        }
        publish()
    }

    private func publish() {
        counters.open = connections.count
        let latest = counters
        published.with { $0 = latest }
    }

    // MARK: Accepting

    private func acceptAll() {
        // A bound, so that a flood of new connections does not starve the open ones.
        for _ in 0..<64 {
            guard let accepted = acceptOne() else { return }
            guard connections.count < share else {
                close(accepted)
                counters.shed += 1
                continue
            }
            let connection = Connection(socket: accepted, id: nextID, now: now)
            do throws(Errno) {
                try poller.add(accepted, token: nextID, interest: .readable)
            } catch {
                close(accepted)
                counters.shed += 1
                continue
            }
            connections[nextID] = connection
            nextID += 1
            counters.accepted += 1
        }
    }

    private func acceptOne() -> Int32? {
        do throws(Errno) {
            return try listener?.accept()
        } catch {
            guard error.isExhaustion else { return nil }
            shedOne()
            return nil
        }
    }

    /// No descriptor is left: lets the next connection go with the one that was kept for this, and rests, since the
    /// poller would report the others again and again.
    private func shedOne() {
        guard let number = listener?.number else { return }
        if reserve >= 0 { close(reserve) }
        if let shed = try? listener?.accept() { close(shed) }
        reserve = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        counters.shed += 1
        poller.remove(number)
        acceptAgain = now + Self.acceptPause
    }

    // MARK: Reading

    private func read(_ connection: Connection) {
        switch unsafe Socket.receive(connection.socket, into: buffer) {
        case .nothingYet: return
        case .broken: drop(connection)
        case .end: endOfInput(connection)
        case .bytes(let count):
            counters.receivedBytes += count
            if case .lingering = connection.phase { return }
            if case .finished = connection.phase { return }
            connection.isBusy = true
            if connection.outbox.isEmpty { swap(&connection.outbox, &spareOutbox) }
            let bytes = unsafe UnsafeBufferPointer(
                start: buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count: count)
            unsafe take(bytes, connection)
            connection.isBusy = false
            flush(connection)
        }
    }

    private func endOfInput(_ connection: Connection) {
        connection.peerIsDone = true
        // A request that was cut off gets no answer; earlier ones still do.
        guard !connection.pending.isEmpty || connection.unsent > 0 else { return drop(connection) }
        if case .lingering = connection.phase { return drop(connection) }
        connection.phase = .finished
        updateInterest(connection)
    }

    /// Takes new bytes in, through the inbox where something waits there.
    private func take(_ bytes: UnsafeBufferPointer<UInt8>, _ connection: Connection) {
        if connection.headStart == nil, !connection.isReadingBody { connection.headStart = now }
        if connection.isReadingBody {
            let used = unsafe takeBody(bytes, connection)
            guard unsafe used < bytes.count else { return }
            unsafe takeRequests(UnsafeBufferPointer(rebasing: bytes[used...]), connection)
        } else if connection.inbox.isEmpty {
            unsafe takeRequests(bytes, connection)
        } else {
            unsafe connection.inbox.append(contentsOf: bytes)
            resume(connection)
        }
    }

    /// Reads on in what waits in the inbox.
    private func resume(_ connection: Connection) {
        let waiting = connection.inbox
        connection.inbox = []
        unsafe waiting.withUnsafeBufferPointer { unsafe takeRequests($0, connection) }
    }

    /// Reads requests until the bytes are used up or one is not whole; what is left goes to the inbox.
    private func takeRequests(_ bytes: UnsafeBufferPointer<UInt8>, _ connection: Connection) {
        var used = 0
        while unsafe used < bytes.count, case .head = connection.phase {
            guard connection.pending.count < limits.pipelined, connection.unsent < limits.unsentBytes else {
                connection.isPaused = true
                break
            }
            let rest = unsafe UnsafeBufferPointer(rebasing: bytes[used...])
            do throws(RequestError) {
                guard let range = try unsafe connection.scanner.scan(rest, limit: limits.headBytes) else {
                    break
                }
                connection.scanner = HeadScanner()
                try unsafe HeadParser.parse(rest, range, limits: limits, into: &head)
                used += try unsafe begin(rest, range, connection)
            } catch {
                refuse(connection, error)
            }
        }
        guard case .head = connection.phase else { return }
        unsafe connection.inbox = Array(bytes[used...])
        if connection.inbox.isEmpty {
            connection.headStart = nil
        } else if used > 0 {
            connection.headStart = now
        }
    }

    /// A head is whole: answers it, or reads its body.
    ///
    /// - Returns: how many of the bytes were used.
    private func begin(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ connection: Connection
    ) throws(RequestError) -> Int {
        connection.headStart = nil
        let body = unsafe UnsafeBufferPointer(rebasing: bytes[range.upperBound...])
        let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        let request = unsafe Request(bytes: bytes, head: head, content: none)
        if let refusal = service.screen(request) {
            return unsafe refuse(refusal, bytes, range, body, connection)
        }
        switch head.framing {
        case .none:
            try unsafe deliver(bytes, head, none, connection)
            return range.upperBound
        case .length(let count):
            if unsafe body.count >= count {
                try unsafe deliver(bytes, head, UnsafeBufferPointer(rebasing: body[..<count]), connection)
                return range.upperBound + count
            }
            connection.phase = .length(count)
            connection.body.reserveCapacity(count)
        case .chunked:
            connection.phase = .chunked(ChunkedDecoder())
        }
        unsafe connection.inbox = Array(bytes[..<range.upperBound])
        connection.head = head
        connection.bodyStart = now
        connection.bodyBytes = 0
        if head.expectsContinue, unsafe body.isEmpty, connection.pending.isEmpty {
            connection.outbox.append("HTTP/1.1 100 Continue\r\n\r\n")
        }
        let used = unsafe takeBody(body, connection)
        return range.upperBound + used
    }

    /// Sends a refusal. The connection stays only where the refused body is here already or there is none: otherwise
    /// the rest of it would have to be read to find the next request.
    private func refuse(
        _ refusal: Response, _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>,
        _ body: UnsafeBufferPointer<UInt8>, _ connection: Connection
    ) -> Int {
        var refusal = refusal
        var used = range.upperBound
        switch head.framing {
        case .none: break
        case .length(let count) where unsafe count <= body.count: used += count
        case .length, .chunked: refusal.closes = true
        }
        counters.requests += 1
        connection.pending.append(
            Connection.Pending(preferences: unsafe Preferences(head, bytes), response: refusal))
        writeAnswers(connection)
        return used
    }

    /// Takes bytes of a body.
    ///
    /// - Returns: how many of them belong to it.
    private func takeBody(_ bytes: UnsafeBufferPointer<UInt8>, _ connection: Connection) -> Int {
        let used: Int
        switch connection.phase {
        case .length(let missing):
            used = unsafe min(missing, bytes.count)
            unsafe connection.body.append(contentsOf: bytes[..<used])
            connection.phase = .length(missing - used)
            if used == missing { finishBody(connection) }
        case .chunked(var decoder):
            do throws(RequestError) {
                used = try unsafe decoder.decode(bytes, into: &connection.body, limits: limits)
            } catch {
                refuse(connection, error)
                return unsafe bytes.count
            }
            connection.phase = .chunked(decoder)
            if decoder.isDone { finishBody(connection) }
        case .head, .finished, .lingering:
            return 0
        }
        connection.bodyBytes += used
        return used
    }

    private func finishBody(_ connection: Connection) {
        let (head, bytes, body) = (connection.head, connection.inbox, connection.body)
        connection.phase = .head
        connection.inbox = []
        connection.body = []
        do throws(RequestError) {
            try unsafe bytes.span.withUnsafeBufferPointer { (bytes) throws(RequestError) in
                try unsafe body.span.withUnsafeBufferPointer { (body) throws(RequestError) in
                    try unsafe deliver(bytes, head, body, connection)
                }
            }
        } catch {
            refuse(connection, error)
        }
    }

    /// Hands a whole request to the service.
    private func deliver(
        _ bytes: UnsafeBufferPointer<UInt8>, _ head: Head, _ content: UnsafeBufferPointer<UInt8>,
        _ connection: Connection
    ) throws(RequestError) {
        guard head.isGzip, unsafe !content.isEmpty else {
            return unsafe serve(bytes, head, content, connection)
        }
        let inflated = try unsafe GzipContent.inflate(content, limits)
        unsafe inflated.withUnsafeBufferPointer { unsafe serve(bytes, head, $0, connection) }
    }

    private func serve(
        _ bytes: UnsafeBufferPointer<UInt8>, _ head: Head, _ content: UnsafeBufferPointer<UInt8>,
        _ connection: Connection
    ) {
        counters.requests += 1
        let ticket = Ticket(connection: connection.id, number: connection.requests)
        connection.pending.append(
            Connection.Pending(preferences: unsafe Preferences(head, bytes), response: nil))
        let request = unsafe Request(bytes: bytes, head: head, content: content)
        service.serve(request, Responder(loop: self, ticket: ticket))
    }

    /// Answers what cannot be read, and reads no more.
    private func refuse(_ connection: Connection, _ error: RequestError) {
        connection.phase = .finished
        connection.inbox = []
        connection.body = []
        connection.headStart = nil
        connection.pending.append(
            Connection.Pending(preferences: Preferences(), response: ResponseWriter.problem(error)))
        writeAnswers(connection)
    }

    // MARK: Answering

    private func settle(_ ticket: Ticket, _ response: Response) {
        guard let connection = connections[ticket.connection] else { return }
        let index = ticket.number - connection.firstNumber
        guard connection.pending.indices.contains(index), connection.pending[index].response == nil else {
            return
        }
        connection.pending[index].response = response
        guard index == 0 else { return }
        if connection.outbox.isEmpty { swap(&connection.outbox, &spareOutbox) }
        writeAnswers(connection)
        if !connection.isBusy { flush(connection) }
    }

    /// Puts the answers that are due into the outbox, in order.
    private func writeAnswers(_ connection: Connection) {
        var count = 0
        for pending in connection.pending {
            guard let response = pending.response else { break }
            count += 1
            let isLast =
                response.closes || !pending.preferences.keepsAlive || stopBy != nil
                || connection.firstNumber + count >= limits.requestsPerConnection
            counters.answers[min(Int(response.status.code) / 100, 5)] += 1
            ResponseWriter.write(
                response, for: pending.preferences, keepsAlive: !isLast, date: date.line,
                to: &connection.outbox)
            guard isLast else { continue }
            // What came after it stays unanswered.
            connection.phase = .finished
            connection.inbox = []
            connection.headStart = nil
            connection.firstNumber += connection.pending.count
            connection.pending.removeAll()
            return
        }
        connection.firstNumber += count
        connection.pending.removeFirst(count)
    }

    /// Sends what the peer takes, and goes on with what that makes possible.
    private func flush(_ connection: Connection) {
        if connection.unsent > 0 {
            let sent = unsafe connection.outbox.withUnsafeBytes { bytes in
                unsafe Socket.send(
                    connection.socket, UnsafeRawBufferPointer(rebasing: bytes[connection.sent...]))
            }
            guard let sent else { return drop(connection) }
            if sent > 0 || connection.sent == 0 { connection.writeStart = now }
            connection.sent += sent
            counters.sentBytes += sent
        }
        if connection.unsent == 0 {
            emptyOutbox(connection)
            if case .finished = connection.phase, connection.pending.isEmpty { return linger(connection) }
            connection.idleStart = now
        }
        if connection.isPaused, connection.pending.count < limits.pipelined,
            connection.unsent < limits.unsentBytes
        {
            connection.isPaused = false
            connection.isBusy = true
            resume(connection)
            connection.isBusy = false
            return flush(connection)
        }
        updateInterest(connection)
    }

    private func emptyOutbox(_ connection: Connection) {
        connection.sent = 0
        guard connection.outbox.capacity > 0 else { return }
        connection.outbox.removeAll(keepingCapacity: true)
        if connection.outbox.capacity <= Self.keptOutboxBytes, spareOutbox.capacity == 0 {
            swap(&connection.outbox, &spareOutbox)
        } else {
            connection.outbox = []
        }
    }

    private func updateInterest(_ connection: Connection) {
        var interest: Interest = []
        let isDeaf = connection.isPaused || connection.peerIsDone
        if !isDeaf { interest.insert(.readable) }
        if connection.unsent > 0 { interest.insert(.writable) }
        guard interest != connection.interest else { return }
        connection.interest = interest
        do throws(Errno) {
            try poller.modify(connection.socket, token: connection.id, interest: interest)
        } catch {
            drop(connection)
        }
    }

    // MARK: Ending

    /// The last answer is out: says so, and waits a little for the peer to stop sending, since closing a socket with
    /// unread bytes sends a reset that can overtake the answer.
    private func linger(_ connection: Connection) {
        guard !connection.peerIsDone else { return drop(connection) }
        Socket.finishSending(connection.socket)
        connection.phase = .lingering
        connection.writeStart = now
        updateInterest(connection)
    }

    /// Patience is over.
    private func expire(_ connection: Connection) {
        counters.timedOut += 1
        if case .lingering = connection.phase { return drop(connection) }
        if connection.unsent > 0 || connection.isIdle { return drop(connection) }
        refuse(connection, connection.isReadingBody ? .bodyTimeout : .headTimeout)
        flush(connection)
    }

    private func drop(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        poller.remove(connection.socket)
        close(connection.socket)
        connection.pending.removeAll()
        emptyOutbox(connection)
    }
}
