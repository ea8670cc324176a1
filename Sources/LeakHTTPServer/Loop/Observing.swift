// What the loop tells about requests, to whoever asked for it: `note…` is called only where somebody did.

internal import LeakPlatform

/// What is remembered of a connection's requests until they are answered.
final class Visits {
    struct Visit {
        var method: Method?
        var target: [UInt8] = []
        var minorVersion = 1
        var userAgent: [UInt8]?
        /// As a trusted proxy says; `nil` for the peer.
        var client: String?
        var bytesReceived = 0
        /// Nanoseconds on the monotonic clock.
        var began: UInt64
    }

    let peer: String?
    /// One for each request without an answer, in order: answers are written in the order of the requests.
    var open: [Visit] = []

    init(peer: String?) { self.peer = peer }

    /// Sets how many bytes of the last request's body have come.
    func setReceived(_ bytes: Int) {
        guard let last = open.indices.last else { return }
        open[last].bytesReceived = bytes
    }
}

extension Loop {
    /// A head is complete.
    func noteRequest(
        _ connection: Connection, _ head: Head, _ fields: [FieldLine], _ bytes: UnsafeBufferPointer<UInt8>
    ) {
        var visit = Visits.Visit(began: SystemTime.monotonicNanoseconds)
        visit.method = head.hasUnknownMethod ? nil : head.method
        visit.target = unsafe Array(bytes[head.target.range.prefix(AccessRecord.textBytes)])
        visit.minorVersion = Int(head.minorVersion)
        if connection.client.isForwarded { visit.client = connection.client.address?.description }
        let agent = fields.first { unsafe FieldRules.equal(bytes.span, $0.name.range, "user-agent") }
        visit.userAgent = agent.map { unsafe Array(bytes[$0.value.range.prefix(AccessRecord.textBytes)]) }
        visits(of: connection).open.append(visit)
    }

    /// The body of the last request is complete.
    func noteBody(_ connection: Connection, bytes: Int) {
        connection.visits?.setReceived(bytes)
    }

    /// The last request, of which a part has come, gives way to others. One whose head has not come whole is not among
    /// ``Connection/unanswered``.
    func noteEviction(_ connection: Connection) {
        let partial = connection.upload == nil ? 1 : 0
        noteRefusal(
            connection, received: connection.upload?.body.count ?? 0,
            requests: connection.unanswered + partial)
        noteAnswer(connection, .serviceUnavailable, bodyBytes: 0, closes: true)
    }

    /// The last request will never be whole.
    func noteLoss(_ connection: Connection) {
        guard let visits = connection.visits, !visits.open.isEmpty else { return }
        visits.open.removeLast()
    }

    /// The server itself refuses the last request of the connection, which may be one that could not be read.
    ///
    /// - Parameter requests: how many have no answer, that one among them.
    func noteRefusal(_ connection: Connection, received: Int, requests: Int) {
        let visits = visits(of: connection)
        if visits.open.count < requests { visits.open.append(.init(began: SystemTime.monotonicNanoseconds)) }
        visits.setReceived(received)
    }

    /// The answer to the first request that has none is written.
    func noteAnswer(_ connection: Connection, _ status: Status, bodyBytes: Int, closes: Bool) {
        guard let observe = observers.onAnswer, let visits = connection.visits, !visits.open.isEmpty else {
            return
        }
        let visit = visits.open.removeFirst()
        observe(
            AccessRecord(
                time: SystemTime.wall, peer: visit.client ?? visits.peer, method: visit.method,
                target: visit.target,
                minorVersion: visit.minorVersion, userAgent: visit.userAgent, status: status,
                bytesReceived: visit.bytesReceived, bytesSent: bodyBytes,
                duration: .nanoseconds(SystemTime.monotonicNanoseconds - visit.began), closes: closes))
    }

    private func visits(of connection: Connection) -> Visits {
        if let visits = connection.visits { return visits }
        let visits = Visits(peer: Socket.peerAddress(connection.socket.number))
        connection.visits = visits
        return visits
    }

    /// The service has returned: from looking at a head, from that and serving it, or from serving alone. It began when
    /// the clock was looked at last, but for the moment that reading the request took.
    func noteCall(_ request: borrowing Request) {
        let time = Loop.clock
        let took = time &- lookedAt
        lookedAt = time
        guard took > slowMilliseconds else { return }
        counters.slow += 1
        guard let observe = observers.onSlowCall else { return }
        let path = request.pathAsSent(upTo: AccessRecord.textBytes)
        observe(SlowCall(method: request.method, path: path, duration: .milliseconds(took)))
    }
}
