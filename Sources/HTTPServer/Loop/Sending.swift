// How answers become bytes, and what a connection waits for next.
extension Loop {
    /// Takes an answer, writes it in its turn, and those that waited for it.
    func answer(_ connection: Connection, _ answer: Answer) {
        guard answer.sequence == connection.nextAnswer else {
            connection.waiting.append(answer)
            return
        }
        write(connection, answer)
        while let index = connection.waiting.firstIndex(where: { $0.sequence == connection.nextAnswer }) {
            write(connection, connection.waiting.remove(at: index))
        }
        if connection.owesContinue { sendContinue(connection) }
    }

    /// Sends `100 Continue` once all earlier answers are written.
    func sendContinue(_ connection: Connection) {
        guard connection.owesContinue, let upload = connection.upload,
            upload.sequence == connection.nextAnswer
        else {
            return
        }
        connection.owesContinue = false
        output.append("HTTP/1.1 100 Continue\r\n\r\n")
    }

    private func write(_ connection: Connection, _ answer: Answer) {
        connection.nextAnswer &+= 1
        guard connection.phase == .open else { return }
        let response = answer.response
        let isLast = connection.takesNoMore && connection.unanswered == 0
        let closes =
            answer.exchange.closes || response.closes || (stopDeadline != nil && connection.unanswered == 0)
            || isLast
        count(response.status)
        writer.write(response, for: answer.exchange, closes: closes, to: output)
        if closes {
            connection.phase = .finishing
            connection.takesNoMore = true
            connection.waiting = []
        }
        let hasBody = !answer.exchange.isHead && response.status.allowsBody
        if isObserved {
            noteAnswer(
                connection, response.status, bodyBytes: hasBody ? response.body.count : 0, closes: closes)
        }
        guard hasBody else { return }
        switch response.body {
        case .empty: break
        case .text(let text): output.append(text)
        case .bytes(let body) where body.count < Self.copiedBytes: output.append(body)
        case .bytes(let body): flush(connection, with: body)
        }
    }

    /// Smaller bodies are copied next to their head; larger ones go out from where they are.
    private static let copiedBytes = 16 << 10

    /// Sends what the loop has written for this connection, and `body` behind it.
    func flush(_ connection: Connection, with body: [UInt8] = []) {
        guard output.count > 0 || !body.isEmpty else { return }
        defer { output.clear() }
        guard connection.outgoing.isEmpty else {
            unsafe connection.outgoing.append(Array(output.bytes))
            connection.outgoing.append(body)
            return
        }
        let outcome = unsafe body.withUnsafeBufferPointer {
            unsafe Socket.send(connection.socket.number, output.bytes, $0)
        }
        var sent = 0
        switch outcome {
        case .bytes(let count): sent = count
        case .wouldBlock, .ended: break
        case .failed:
            // The reader notices; what is owed is no longer of use.
            connection.takesNoMore = true
            connection.phase = .lingering
            return
        }
        counters.bytesSent += sent
        let head = output.count
        if sent < head { unsafe connection.outgoing.append(Array(output.bytes[sent...])) }
        connection.outgoing.append(body, without: max(0, sent - head))
        if !connection.outgoing.isEmpty { startTimer(connection, .write, limits.writeTime) }
    }

    /// - Returns: whether the connection is still there.
    func sendQueued(_ connection: Connection) -> Bool {
        guard let sent = connection.outgoing.send(to: connection.socket.number) else {
            close(connection)
            return false
        }
        counters.bytesSent += sent
        if sent > 0 { connection.deadline = now + limits.writeTime.milliseconds }
        return true
    }

    /// After each turn of a connection: sends, ends what is done, and says what it waits for next.
    func settle(_ connection: Connection) {
        guard connections[Int(connection.id.slot)] === connection else {
            output.clear()
            return
        }
        flush(connection)
        if connection.outgoing.isEmpty {
            let isDone = connection.takesNoMore && connection.unanswered == 0
            if connection.phase == .finishing || (isDone && connection.phase == .open) {
                guard end(connection) else { return }
            } else if stopDeadline != nil && isIdle(connection) {
                close(connection)
                return
            }
        }
        watch(connection)
        time(connection)
    }

    private func isIdle(_ connection: Connection) -> Bool {
        connection.phase == .open && connection.unanswered == 0 && connection.upload == nil
            && connection.partialHead == nil && connection.discarding == 0
    }

    /// All is sent. A peer that may still be sending gets to read the answer before the connection goes:
    /// closing with bytes unread would make the system throw the answer away (RFC 9112 §9.6).
    ///
    /// - Returns: whether the connection lingers.
    private func end(_ connection: Connection) -> Bool {
        guard !connection.inputEnded else {
            close(connection)
            return false
        }
        Socket.endWriting(connection.socket.number)
        connection.phase = .lingering
        startTimer(connection, .linger, limits.lingerTime)
        return drainOnce(connection)
    }

    /// Most peers close at once when they see the end.
    private func drainOnce(_ connection: Connection) -> Bool { receive(connection) }

    private func watch(_ connection: Connection) {
        var interest: Interest = connection.outgoing.isEmpty ? [] : .write
        let drops = connection.takesNoMore && !connection.inputEnded && connection.phase != .open
        if wantsInput(connection) || drops { interest.insert(.read) }
        guard interest != connection.interest else { return }
        poller.change(
            connection.socket.number, token: connection.id.token, from: connection.interest, to: interest)
        connection.interest = interest
    }
}
