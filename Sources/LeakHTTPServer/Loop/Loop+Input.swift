// Reading bytes and parsing requests.
extension Loop {
    /// Reads the received bytes and handles the requests in them.
    ///
    /// - Returns: `true` if the connection still exists.
    func receive(_ connection: Connection) -> Bool {
        if connection.phase != .open || connection.stopsReading { return drop(connection) }
        guard wantsInput(connection) else { return true }
        let target: Buffer
        if let input = connection.input {
            input.reserve(Self.readBytes)
            target = input
        } else if let upload = connection.upload, case .length(let missing) = upload.rest,
            missing >= Self.readBytes
        {
            return receiveBody(of: upload, missing: missing, from: connection)
        } else {
            target = freshReadBuffer()
        }
        let room = unsafe target.free
        let isFull: Bool
        switch unsafe Socket.receive(connection.socket.number, into: room) {
        case .bytes(let count):
            isFull = count == room.count
            target.grow(by: count)
            counters.bytesReceived += count
        case .wouldBlock: return true
        case .ended: return peerEnded(connection)
        case .failed:
            close(connection)
            return false
        }
        consume(connection, target)
        // More bytes are waiting. Those of a large body are read into its buffer at once. Responses are sent first, because reading
        // may reveal the end of the connection.
        guard isFull, connection.upload != nil else { return true }
        flush(connection)
        guard connection.input == nil, wantsInput(connection), let upload = connection.upload,
            case .length(let missing) = upload.rest
        else {
            return true
        }
        return receiveBody(of: upload, missing: missing, from: connection)
    }

    /// Free bytes that a connection's own buffer has before each read.
    private static let readBytes = 16 << 10

    /// Reads a large body from the socket into its buffer, without a copy.
    private func receiveBody(of upload: Upload, missing: Int, from connection: Connection) -> Bool {
        // A body of which little has arrived has a small buffer, see ``begin(_:bytes:headLength:in:)``.
        if unsafe upload.body.free.isEmpty {
            upload.body = pool.exchange(upload.body, for: upload.body.count + missing)
        }
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

    /// Reads and discards the bytes after the last request.
    private func drop(_ connection: Connection) -> Bool {
        switch unsafe Socket.receive(connection.socket.number, into: freshReadBuffer().free) {
        case .bytes(let count):
            counters.bytesReceived += count
            connection.lingeredBytes += count
            guard connection.lingeredBytes <= limits.lingerBytes else { break }
            extendLingering(connection)
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

    /// Handles the end of input from the peer. Pending responses are still sent.
    private func peerEnded(_ connection: Connection) -> Bool {
        connection.inputEnded = true
        connection.stopsReading = true
        if connection.upload != nil { discardUpload(of: connection) }
        guard connection.unanswered > 0 || connection.pendingOutput != nil || output.count > 0 else {
            close(connection)
            return false
        }
        return true
    }

    /// Discards an incomplete request, which gets no response.
    private func discardUpload(of connection: Connection) {
        guard let upload = connection.upload else { return }
        connection.upload = nil
        connection.needsContinue = false
        // The discarded request was the most recent one.
        connection.nextSequence = upload.sequence
        pool.release(upload.body)
        if isObserved { discardRecord(connection) }
    }

    /// Returns `true` if further requests of this connection are to be read now.
    func wantsInput(_ connection: Connection) -> Bool {
        connection.phase == .open && !connection.stopsReading && !connection.isDeferred
            && connection.unanswered < limits.pipelinedRequests + (connection.upload == nil ? 0 : 1)
            && (connection.pendingOutput?.count ?? 0) <= limits.queuedBytes
    }

    /// Continues with the input that had to wait until responses were given or sent.
    func resume(_ connection: Connection) {
        guard let input = connection.input, connection.partialHead == nil, wantsInput(connection) else {
            return
        }
        consume(connection, input)
    }

    /// Handles the requests in `source` and keeps the bytes that were not consumed.
    private func consume(_ connection: Connection, _ source: Buffer) {
        let used = read(connection, source)
        guard connection.phase != .closed else { return }
        if let input = connection.input {
            if used < input.count && !connection.stopsReading {
                // Bytes that a response refers to must not move.
                if input.isShared {
                    connection.input = copy(input, from: used)
                } else {
                    input.removeFirst(used)
                }
            } else {
                connection.input = nil
            }
            if connection.input !== input { pool.release(input) }
        } else if used < source.count && !connection.stopsReading {
            connection.input = copy(source, from: used)
        }
    }

    private func copy(_ source: Buffer, from used: Int) -> Buffer {
        let rest = pool.take(source.count - used)
        unsafe rest.append(UnsafeBufferPointer(rebasing: source.bytes[used...]))
        return rest
    }

    /// - Returns: the number of consumed bytes; the rest belongs to a request that is incomplete or must wait.
    private func read(_ connection: Connection, _ source: Buffer) -> Int {
        let bytes = unsafe source.bytes
        var used = 0
        let first = connection.nextSequence
        while used < bytes.count && wantsInput(connection) {
            guard connection.nextSequence &- first < limits.pipelinedRequests else {
                deferRequests(of: connection)
                break
            }
            let rest = unsafe UnsafeBufferPointer(rebasing: bytes[used...])
            do throws(RequestError) {
                if connection.bytesToDiscard > 0 {
                    let dropped = min(connection.bytesToDiscard, rest.count)
                    connection.bytesToDiscard -= dropped
                    used += dropped
                } else if let upload = connection.upload {
                    let (taken, isComplete) = try unsafe upload.consume(rest.span)
                    used += taken
                    if isComplete { complete(connection, upload) }
                } else {
                    guard let length = try unsafe readHead(connection, rest) else { return used }
                    used += try unsafe begin(connection, bytes: rest, headLength: length, in: source)
                }
            } catch {
                reject(connection, error)
                return bytes.count
            }
            if output.count > Self.outputBytes { flush(connection) }
        }
        return used
    }

    /// Bytes of output above which responses are sent before all requests of a read are handled.
    private static let outputBytes = 48 << 10

    private func readHead(
        _ connection: Connection, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(RequestError) -> Int? {
        if let partial = connection.partialHead {
            guard let length = try unsafe partial.parser.advance(over: bytes.span) else { return nil }
            connection.partialHead = nil
            parser = partial.parser
            return length
        }
        if let length = try unsafe parser.start(over: bytes.span) { return length }
        connection.partialHead = Connection.PartialHead(parser)
        return nil
    }
}
