internal import Gzip

// How bytes become requests.
extension Loop {
    /// Reads what has come.
    ///
    /// - Returns: whether the connection is still there.
    func receive(_ connection: Connection) -> Bool {
        if connection.phase != .open || connection.takesNoMore { return drop(connection) }
        guard wantsInput(connection) else { return true }
        let target: Buffer
        if let input = connection.input {
            input.reserve(Self.readBytes)
            target = input
        } else if let upload = connection.upload, case .length(let missing) = upload.rest,
            missing >= Self.readBytes
        {
            return receiveBody(connection, upload, missing)
        } else {
            scratch.clear()
            target = scratch
        }
        switch unsafe Socket.receive(connection.socket.number, into: target.free) {
        case .bytes(let count):
            target.grow(by: count)
            counters.bytesReceived += count
        case .wouldBlock: return true
        case .ended: return peerEnded(connection)
        case .failed:
            close(connection)
            return false
        }
        consume(connection, target)
        return true
    }

    /// Bytes read at a time into a buffer of a connection.
    private static let readBytes = 16 << 10

    /// A large body goes from the socket to its place without a copy.
    private func receiveBody(_ connection: Connection, _ upload: Upload, _ missing: Int) -> Bool {
        // A body of which little has come holds little memory; from a quarter on it gets all its room.
        upload.body.reserve(upload.body.count < 64 << 10 ? min(missing, 64 << 10) : missing)
        let free = unsafe upload.body.free
        let room = unsafe UnsafeMutableBufferPointer(rebasing: free[..<min(free.count, missing)])
        switch unsafe Socket.receive(connection.socket.number, into: room) {
        case .bytes(let count):
            upload.body.grow(by: count)
            upload.rest = .length(missing - count)
            counters.bytesReceived += count
            if count == missing { complete(connection, upload) }
            return true
        case .wouldBlock: return true
        case .ended: return peerEnded(connection)
        case .failed:
            close(connection)
            return false
        }
    }

    /// Reads and forgets what comes after the last request.
    private func drop(_ connection: Connection) -> Bool {
        scratch.clear()
        switch unsafe Socket.receive(connection.socket.number, into: scratch.free) {
        case .bytes(let count):
            counters.bytesReceived += count
            connection.lingered += count
            guard connection.lingered <= limits.lingerBytes else { break }
            return true
        case .wouldBlock: return true
        case .ended:
            guard connection.phase == .lingering else {
                connection.inputEnded = true
                return true
            }
        case .failed: break
        }
        close(connection)
        return false
    }

    /// The peer sends no more: what it is owed is still sent.
    private func peerEnded(_ connection: Connection) -> Bool {
        connection.inputEnded = true
        connection.takesNoMore = true
        let isWhole = connection.upload == nil
        guard isWhole, connection.unanswered > 0 || !connection.outgoing.isEmpty else {
            close(connection)
            return false
        }
        return true
    }

    /// Whether further requests of this connection are read now.
    func wantsInput(_ connection: Connection) -> Bool {
        connection.phase == .open && !connection.takesNoMore
            && connection.unanswered < limits.pipelinedRequests + (connection.upload == nil ? 0 : 1)
            && connection.outgoing.count <= limits.queuedBytes
    }

    /// Goes on with what had to wait until answers were given or taken.
    func resume(_ connection: Connection) {
        guard let input = connection.input, connection.parser == nil, wantsInput(connection) else { return }
        consume(connection, input)
    }

    /// Makes requests of the bytes in `source` and keeps what is not used.
    private func consume(_ connection: Connection, _ source: Buffer) {
        let used = unsafe read(connection, source.bytes)
        guard connections[Int(connection.id.slot)] === connection else { return }
        if let input = connection.input {
            input.removeFirst(used)
            if input.count == 0 || connection.takesNoMore {
                connection.input = nil
                pool.give(input)
            }
        } else if unsafe used < source.bytes.count && !connection.takesNoMore {
            let rest = unsafe UnsafeBufferPointer(rebasing: source.bytes[used...])
            let input = pool.take(rest.count)
            unsafe input.append(rest)
            connection.input = input
        }
    }

    /// - Returns: how many bytes were used; the rest belongs to a request that is not complete or must wait.
    private func read(_ connection: Connection, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var used = 0
        while used < bytes.count && wantsInput(connection) {
            let rest = unsafe UnsafeBufferPointer(rebasing: bytes[used...])
            do throws(RequestError) {
                if connection.discarding > 0 {
                    let dropped = min(connection.discarding, rest.count)
                    connection.discarding -= dropped
                    used += dropped
                } else if let upload = connection.upload {
                    let (taken, isComplete) = try unsafe upload.take(rest.span)
                    used += taken
                    if isComplete { complete(connection, upload) }
                } else {
                    guard let length = try unsafe readHead(connection, rest) else { return used }
                    used += try unsafe begin(connection, rest, length)
                }
            } catch {
                refuse(connection, error)
                return bytes.count
            }
            if output.count > Self.outputBytes { flush(connection) }
        }
        return used
    }

    /// Answers are sent in the middle of a read from here on.
    private static let outputBytes = 48 << 10

    private func readHead(
        _ connection: Connection, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(RequestError) -> Int? {
        if var parser = connection.parser {
            connection.parser = nil
            if let length = try unsafe parser.advance(over: bytes.span) {
                self.parser = parser
                return length
            }
            connection.parser = parser
            return nil
        }
        parser.reset()
        if let length = try unsafe parser.advance(over: bytes.span) { return length }
        connection.parser = parser
        if connection.timer != .head {
            connection.timer = .head
            connection.deadline = now + limits.headTime.milliseconds
        }
        return nil
    }

    /// Starts with the request whose head is complete in the loop's parser.
    ///
    /// - Returns: how many bytes were used.
    private func begin(
        _ connection: Connection, _ bytes: UnsafeBufferPointer<UInt8>, _ length: Int
    ) throws(RequestError) -> Int {
        let head = parser.head
        let fields = parser.fields
        counters.requests += 1
        connection.timer = .none
        if case .length(let count) = head.framing, count > limits.bodyBytes { throw .bodyTooLong }
        if head.framing != .none && head.contentCoding == .unknown { throw .unsupportedContentCoding }
        let headBytes = unsafe UnsafeBufferPointer(rebasing: bytes[..<length])
        var exchange = Exchange(head, fields: fields, of: unsafe headBytes.span)
        let sequence = connection.nextSequence
        connection.nextSequence &+= 1
        if Int(connection.nextSequence) >= limits.requestsPerConnection || stopDeadline != nil {
            exchange.closes = true
        }

        if let refusal = unsafe screen(head, fields, headBytes) {
            return length
                + refuse(connection, head, sequence, exchange, refusal, following: bytes.count - length)
        }
        let here = bytes.count - length
        switch head.framing {
        case .none:
            if exchange.closes { connection.takesNoMore = true }
            let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            unsafe dispatch(connection, head, fields, headBytes, none, sequence, exchange)
            return length
        case .length(let count) where here >= count:
            if exchange.closes { connection.takesNoMore = true }
            let body = unsafe UnsafeBufferPointer(rebasing: bytes[length..<length + count])
            unsafe dispatch(connection, head, fields, headBytes, body, sequence, exchange)
            return length + count
        case .length(let count):
            let body = pool.take(min(count, 64 << 10))
            unsafe startUpload(
                connection, head, fields, headBytes, sequence, exchange, .length(count), body, here)
            return length
        case .chunked:
            let body = pool.take(16 << 10)
            let rest = Upload.Body.chunked(ChunkParser(limits: limits))
            unsafe startUpload(connection, head, fields, headBytes, sequence, exchange, rest, body, here)
            return length
        }
    }

    /// What refuses the request before its body is read: `OPTIONS *` is answered by the server, all else may
    /// be refused by the service.
    private func screen(
        _ head: Head, _ fields: [FieldLine], _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Response? {
        if head.isAsterisk {
            var response = Response(.noContent)
            response.fields = [("Allow", RequestError.allowedMethods)]
            return response
        }
        let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        return service.screen(unsafe Request(head: head, fields: fields, bytes: bytes, body: none))
    }

    private func startUpload(
        _ connection: Connection, _ head: Head, _ fields: [FieldLine], _ bytes: UnsafeBufferPointer<UInt8>,
        _ sequence: UInt32, _ exchange: Exchange, _ rest: Upload.Body, _ body: Buffer, _ here: Int
    ) {
        connection.upload = unsafe Upload(
            head: head, fields: fields, headBytes: Array(bytes), sequence: sequence, exchange: exchange,
            began: now,
            rest: rest, body: body)
        if head.expectsContinue && here == 0 {
            connection.owesContinue = true
            sendContinue(connection)
        }
    }

    /// A refusal from the head alone. A short body is dropped and the connection kept; a long or unknown one
    /// would cost more to read than a new connection, and after an expectation nobody knows whether it comes.
    ///
    /// - Returns: bytes of the body that are here and were dropped.
    private func refuse(
        _ connection: Connection, _ head: Head, _ sequence: UInt32, _ exchange: Exchange, _ refusal: Response,
        following: Int
    ) -> Int {
        var exchange = exchange
        var dropped = 0
        switch head.framing {
        case .none: break
        case .length(let count) where count <= limits.discardedBytes && !head.expectsContinue:
            dropped = min(count, following)
            connection.discarding = count - dropped
        case .length, .chunked: exchange.closes = true
        }
        if exchange.closes {
            connection.takesNoMore = true
            connection.discarding = 0
        }
        answer(
            connection,
            Answer(
                connection: connection.id, sequence: sequence, exchange: exchange,
                response: refusal.negotiated(for: exchange)))
        return dropped
    }

    /// A request that cannot be read: one answer in its turn, then the end.
    func refuse(_ connection: Connection, _ error: RequestError) {
        let sequence: UInt32
        if let upload = connection.upload {
            sequence = upload.sequence
            connection.upload = nil
            pool.give(upload.body)
        } else {
            sequence = connection.nextSequence
            connection.nextSequence &+= 1
        }
        connection.parser = nil
        connection.discarding = 0
        connection.takesNoMore = true
        answer(
            connection,
            Answer(connection: connection.id, sequence: sequence, exchange: .broken, response: error.response)
        )
    }

    private func complete(_ connection: Connection, _ upload: Upload) {
        connection.upload = nil
        connection.owesContinue = false
        connection.timer = .none
        if upload.exchange.closes { connection.takesNoMore = true }
        unsafe upload.headBytes.withUnsafeBufferPointer { headBytes in
            unsafe dispatch(
                connection, upload.head, upload.fields, headBytes, upload.body.bytes, upload.sequence,
                upload.exchange)
        }
        pool.give(upload.body)
    }

    /// Hands a whole request to the service, inflated.
    ///
    /// Gzip is inflated here, when the last byte has come, and not on the way: a slow sender then holds what
    /// it sent and not what that inflates to.
    private func dispatch(
        _ connection: Connection, _ head: Head, _ fields: [FieldLine], _ bytes: UnsafeBufferPointer<UInt8>,
        _ body: UnsafeBufferPointer<UInt8>, _ sequence: UInt32, _ exchange: Exchange
    ) {
        let responder = Responder(mailbox, connection.id, sequence, exchange)
        guard head.contentCoding == .gzip && head.framing != .none else {
            service.serve(unsafe Request(head: head, fields: fields, bytes: bytes, body: body), responder)
            return
        }
        let target = pool.take(64 << 10)
        defer { pool.give(target) }
        inflater.reset()
        do throws(InflateError) {
            try unsafe inflater.inflate(body) { unsafe target.append($0) }
            try inflater.finish()
        } catch {
            let problem = error == .tooLarge ? RequestError.inflatesTooFar : .damagedGzip
            var response = problem.response
            // The message was framed well, so the connection can go on.
            response.closes = false
            responder.send(response)
            return
        }
        service.serve(unsafe Request(head: head, fields: fields, bytes: bytes, body: target.bytes), responder)
    }
}
