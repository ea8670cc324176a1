// Writing of responses, and the next state of a connection.
extension Loop {
    /// Writes a response if it is next in the order of requests, and then the responses that waited for it; otherwise stores
    /// it.
    func answer(_ connection: Connection, _ answer: consuming AddressedResponse) {
        guard answer.sequence == connection.nextResponseSequence else {
            let outOfOrderResponses = connection.outOfOrderResponses ?? Connection.OutOfOrderResponses()
            outOfOrderResponses.answers.append(answer)
            connection.outOfOrderResponses = outOfOrderResponses
            return
        }
        write(connection, answer)
        if let outOfOrderResponses = connection.outOfOrderResponses { write(connection, outOfOrderResponses) }
        if connection.needsContinue { sendContinue(connection) }
    }

    /// Writes the waiting responses that are next in order.
    private func write(_ connection: Connection, _ outOfOrderResponses: Connection.OutOfOrderResponses) {
        while let index = outOfOrderResponses.answers.firstIndex(where: {
            $0.sequence == connection.nextResponseSequence
        }) {
            write(connection, outOfOrderResponses.answers.remove(at: index))
        }
        if outOfOrderResponses.answers.isEmpty { connection.outOfOrderResponses = nil }
    }

    /// Sends `100 Continue` if all earlier responses are written.
    func sendContinue(_ connection: Connection) {
        guard connection.needsContinue, let upload = connection.upload,
            upload.sequence == connection.nextResponseSequence
        else {
            return
        }
        connection.needsContinue = false
        output.append("HTTP/1.1 100 Continue\r\n\r\n")
    }

    private func write(_ connection: Connection, _ answer: borrowing AddressedResponse) {
        connection.nextResponseSequence &+= 1
        guard connection.phase == .open else { return }
        let isLast = connection.stopsReading && connection.unansweredCount == 0
        let closesConnection =
            answer.exchange.closesConnection || answer.response.closesConnection || answer.response.isWithheld
            || (stopDeadline != nil && connection.unansweredCount == 0)
            || isLast
        countResponse(answer.response.status)
        if !answer.response.isWithheld {
            writer.write(
                answer.response, for: answer.exchange, closesConnection: closesConnection, to: output)
        }
        if closesConnection {
            connection.phase = .finishing
            connection.stopsReading = true
            connection.outOfOrderResponses = nil
        }
        let hasBody =
            !answer.exchange.isHead && !answer.response.isWithheld && answer.response.status.allowsBody
        if hasBody && answer.response.body.count < Self.copyThreshold {
            unsafe answer.response.body.withPointer { unsafe output.append($0) }
        } else if hasBody {
            flush(connection, with: answer.response.body)
        }
        // This comes last, because the observer may answer another request of this connection.
        if isObserved {
            recordResponse(
                connection, answer.response.status, bodyBytes: hasBody ? answer.response.body.count : 0,
                closesConnection: closesConnection)
        }
    }

    /// The number of bytes below which a body is copied into the output after its head; larger bodies are sent without a copy.
    private static let copyThreshold = 16 << 10

    /// Sends the output that the loop has written for this connection, followed by `body`.
    func flush(_ connection: Connection, with body: Response.Body = .empty) {
        let headCount = output.count
        guard headCount > 0 || body.count > 0 else { return }
        defer { output.clear() }
        if let pendingOutput = connection.pendingOutput {
            unsafe pendingOutput.append(.bytes(Array(output.bytes)))
            pendingOutput.append(body)
            return
        }
        let outcome = unsafe body.withPointer {
            unsafe Socket.send(connection.socket.number, output.bytes, then: $0)
        }
        var sentCount = 0
        switch outcome {
        case .transferred(let count): sentCount = count
        case .wouldBlock, .ended: break
        case .failed:
            // The next read detects the broken connection; pending responses are useless now.
            connection.stopsReading = true
            connection.phase = .lingering
            return
        }
        counters.bytesSent += sentCount
        guard sentCount < headCount + body.count else { return }
        if sentCount < headCount {
            let pendingOutput = unsafe PendingOutput(.bytes(Array(output.bytes[sentCount...])))
            pendingOutput.append(body)
            connection.pendingOutput = pendingOutput
        } else {
            connection.pendingOutput = PendingOutput(body, without: sentCount - headCount)
        }
        startTimer(connection, .write, lasting: limits.writeTime)
    }

    /// Sends pending output to a peer that can accept more.
    ///
    /// - Returns: `true` if the connection still exists.
    func sendPendingOutput(_ connection: Connection) -> Bool {
        guard let pendingOutput = connection.pendingOutput else { return true }
        guard let sentCount = pendingOutput.send(to: connection.socket.number) else {
            close(connection)
            return false
        }
        if pendingOutput.byteCount == 0 { connection.pendingOutput = nil }
        counters.bytesSent += sentCount
        extendWriteDeadline(connection, by: sentCount)
        return true
    }

    /// Ends the turn of a connection: sends the output, closes the connection if it is done, and sets the events and the deadline
    /// to wait for.
    func finishTurn(_ connection: Connection) {
        guard connection.phase != .closed else {
            output.clear()
            return
        }
        flush(connection)
        if connection.pendingOutput == nil {
            let isDone = connection.stopsReading && connection.unansweredCount == 0
            if connection.phase == .finishing || (isDone && connection.phase == .open) {
                guard finishSending(on: connection) else { return }
            } else if stopDeadline != nil && isIdle(connection) {
                close(connection)
                return
            }
        }
        if connection.isProxied && isIdle(connection) && connection.pendingOutput == nil {
            releaseClient(connection)
        }
        updateInterest(of: connection)
        updateDeadline(of: connection)
    }

    private func isIdle(_ connection: Connection) -> Bool {
        connection.phase == .open && connection.unansweredCount == 0 && connection.upload == nil
            && connection.partialHead == nil && connection.bytesToDiscard == 0 && !connection.isDeferred
    }

    /// Closes the sending side after all responses are sent. The connection stays open for a while, so that a peer that is still
    /// sending can read the response: closing with unread bytes would make the system discard it (RFC 9112 §9.6).
    ///
    /// - Returns: `true` if the connection lingers.
    private func finishSending(on connection: Connection) -> Bool {
        guard !connection.hasInputEnded else {
            close(connection)
            return false
        }
        Socket.endWriting(connection.socket.number)
        connection.phase = .lingering
        startLingering(connection)
        // Most peers close at once when they see the end of input.
        return receive(connection)
    }

    private func updateInterest(of connection: Connection) {
        var interest: Interest = connection.pendingOutput == nil ? [] : .write
        let drops = connection.stopsReading && !connection.hasInputEnded && connection.phase != .open
        if wantsInput(connection) || drops { interest.insert(.read) }
        guard interest != connection.interest else { return }
        poller.change(
            connection.socket.number, token: connection.id.token, from: connection.interest, to: interest)
        connection.interest = interest
    }
}
