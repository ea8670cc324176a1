// Reporting of requests and responses to observers. Only `measureCall` is called without an observer of responses.

internal import LeakPlatform

/// The access records of a connection's unanswered requests.
final class PendingAccessRecords {
    struct PendingAccessRecord {
        var method: Method?
        var target: [UInt8] = []
        var minorVersion = 1
        var userAgent: [UInt8]?
        /// The client's address according to a trusted proxy; `nil` stands for the peer.
        var client: String?
        var requestID: RequestID?
        var bytesReceived = 0
        /// The time when the head was complete, in nanoseconds on the monotonic clock.
        var startedAt: UInt64
    }

    let peer: String?
    /// The records of the unanswered requests, in their order, which is also the order of the responses.
    var records: [PendingAccessRecord] = []

    init(peer: String?) { self.peer = peer }

    /// Sets the number of received body bytes of the last request.
    func setReceived(_ bytes: Int) {
        guard let last = records.indices.last else { return }
        records[last].bytesReceived = bytes
    }
}

extension Loop {
    /// Records a request whose head is complete.
    func recordRequest(
        _ connection: Connection, head: Head, fields: [FieldLine], bytes: UnsafeBufferPointer<UInt8>
    ) {
        var pendingRecord = PendingAccessRecords.PendingAccessRecord(
            startedAt: SystemTime.monotonicNanoseconds)
        pendingRecord.method = head.hasUnknownMethod ? nil : head.method
        pendingRecord.target = unsafe Array(bytes[head.target.range.prefix(AccessRecord.maxTextBytes)])
        pendingRecord.minorVersion = Int(head.minorVersion)
        pendingRecord.requestID = connection.requestID
        if connection.client.isForwarded { pendingRecord.client = connection.client.address?.description }
        let agent = fields.first {
            unsafe ASCII.equal(bytes.span, in: $0.name.range, to: "user-agent")
        }
        pendingRecord.userAgent = agent.map {
            unsafe Array(bytes[$0.value.range.prefix(AccessRecord.maxTextBytes)])
        }
        pendingRecords(of: connection).records.append(pendingRecord)
    }

    /// Records that the body of the last request is complete.
    func recordBody(_ connection: Connection, bytes: Int) {
        connection.pendingRecords?.setReceived(bytes)
    }

    /// Records that a connection with an incomplete request is evicted. A request with an incomplete head is not counted in
    /// ``Connection/unansweredCount``.
    func recordEviction(_ connection: Connection) {
        let incompleteCount = connection.upload == nil ? 1 : 0
        recordRejection(
            connection, receivedBytes: connection.upload?.body.count ?? 0,
            requests: connection.unansweredCount + incompleteCount)
        recordResponse(connection, .serviceUnavailable, bodyBytes: 0, closesConnection: true)
    }

    /// Removes the record of the last request, which will never be complete.
    func discardRecord(_ connection: Connection) {
        guard let pendingRecords = connection.pendingRecords, !pendingRecords.records.isEmpty else { return }
        pendingRecords.records.removeLast()
    }

    /// Records that the server itself rejects the last request of the connection, which may be a request that could not be parsed.
    ///
    /// - Parameter requests: the number of unanswered requests, including this request.
    func recordRejection(
        _ connection: Connection, receivedBytes: Int, requests: Int, requestID: RequestID? = nil
    ) {
        let pendingRecords = pendingRecords(of: connection)
        if pendingRecords.records.count < requests {
            pendingRecords.records.append(
                .init(requestID: requestID, startedAt: SystemTime.monotonicNanoseconds))
        }
        pendingRecords.setReceived(receivedBytes)
    }

    /// Reports the response to the oldest unanswered request to the observer.
    func recordResponse(_ connection: Connection, _ status: Status, bodyBytes: Int, closesConnection: Bool) {
        guard let observe = observers.onAnswer, let pendingRecords = connection.pendingRecords,
            !pendingRecords.records.isEmpty
        else {
            return
        }
        let pendingRecord = pendingRecords.records.removeFirst()
        observe(
            AccessRecord(
                time: SystemTime.wall, peer: pendingRecord.client ?? pendingRecords.peer,
                method: pendingRecord.method,
                target: pendingRecord.target,
                minorVersion: pendingRecord.minorVersion, userAgent: pendingRecord.userAgent, status: status,
                bytesReceived: pendingRecord.bytesReceived, bytesSent: bodyBytes,
                duration: .nanoseconds(SystemTime.monotonicNanoseconds - pendingRecord.startedAt),
                closesConnection: closesConnection, requestID: pendingRecord.requestID)
        )
    }

    private func pendingRecords(of connection: Connection) -> PendingAccessRecords {
        if let pendingRecords = connection.pendingRecords { return pendingRecords }
        let pendingRecords = PendingAccessRecords(peer: Socket.peerAddress(connection.socket.number))
        connection.pendingRecords = pendingRecords
        return pendingRecords
    }

    /// Measures a call of the service that has just returned, and reports it if it was slow. A call covers screening the head,
    /// serving the request, or both. The measurement starts at ``callStart``, so it includes the short time of parsing the request.
    func measureCall(_ request: borrowing Request) {
        let time = Loop.clock
        let milliseconds = time &- callStart
        callStart = time
        guard milliseconds > slowMilliseconds else { return }
        counters.slowCalls += 1
        guard let observe = observers.onSlowCall else { return }
        let path = request.pathAsSent(upTo: AccessRecord.maxTextBytes)
        observe(
            SlowCall(
                method: request.method, path: path, duration: .milliseconds(milliseconds),
                requestID: request.requestID))
    }
}
