// Reporting of requests and responses to observers. All `note…` functions except `noteCall` are called only if there is an observer
// of responses.

internal import LeakPlatform

/// Data about the requests of a connection, kept until they are answered.
final class Visits {
    struct Visit {
        var method: Method?
        var target: [UInt8] = []
        var minorVersion = 1
        var userAgent: [UInt8]?
        /// The client's address according to a trusted proxy; `nil` stands for the peer.
        var client: String?
        var bytesReceived = 0
        /// Nanoseconds on the monotonic clock.
        var began: UInt64
    }

    let peer: String?
    /// One entry per unanswered request, in order: responses are written in the order of the requests.
    var open: [Visit] = []

    init(peer: String?) { self.peer = peer }

    /// Sets the number of received body bytes of the last request.
    func setReceived(_ bytes: Int) {
        guard let last = open.indices.last else { return }
        open[last].bytesReceived = bytes
    }
}

extension Loop {
    /// Records a request whose head is complete.
    func noteRequest(
        _ connection: Connection, head: Head, fields: [FieldLine], bytes: UnsafeBufferPointer<UInt8>
    ) {
        var visit = Visits.Visit(began: SystemTime.monotonicNanoseconds)
        visit.method = head.hasUnknownMethod ? nil : head.method
        visit.target = unsafe Array(bytes[head.target.range.prefix(AccessRecord.textBytes)])
        visit.minorVersion = Int(head.minorVersion)
        if connection.client.isForwarded { visit.client = connection.client.address?.description }
        let agent = fields.first { unsafe FieldRules.equal(bytes.span, in: $0.name.range, to: "user-agent") }
        visit.userAgent = agent.map { unsafe Array(bytes[$0.value.range.prefix(AccessRecord.textBytes)]) }
        visits(of: connection).open.append(visit)
    }

    /// Records that the body of the last request is complete.
    func noteBody(_ connection: Connection, bytes: Int) {
        connection.visits?.setReceived(bytes)
    }

    /// Records that a connection with an incomplete request is evicted. A request with an incomplete head is not counted in
    /// ``Connection/unanswered``.
    func noteEviction(_ connection: Connection) {
        let partial = connection.upload == nil ? 1 : 0
        noteRefusal(
            connection, received: connection.upload?.body.count ?? 0,
            requests: connection.unanswered + partial)
        noteAnswer(connection, .serviceUnavailable, bodyBytes: 0, closes: true)
    }

    /// Removes the last request, which will never be complete.
    func noteLoss(_ connection: Connection) {
        guard let visits = connection.visits, !visits.open.isEmpty else { return }
        visits.open.removeLast()
    }

    /// Records that the server itself rejects the last request of the connection, which may be one that could not be parsed.
    ///
    /// - Parameter requests: the number of unanswered requests, including this one.
    func noteRefusal(_ connection: Connection, received: Int, requests: Int) {
        let visits = visits(of: connection)
        if visits.open.count < requests { visits.open.append(.init(began: SystemTime.monotonicNanoseconds)) }
        visits.setReceived(received)
    }

    /// Reports the response to the oldest unanswered request to the observer.
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

    /// Measures a call of the service that has just returned, and reports it if it was slow. A call covers screening the head,
    /// serving the request, or both. The measurement starts at ``lookedAt``, so it includes the short time of parsing the request.
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
