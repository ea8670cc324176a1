// Reading bytes and parsing requests.
extension Loop {
    /// Reads the received bytes and handles the requests in them.
    ///
    /// - Returns: `true` if the connection still exists.
    func receive(_ connection: Connection) -> Bool {
        if connection.phase != .open || connection.stopsReading { return discardInput(connection) }
        guard wantsInput(connection) else { return true }
        let target: Buffer
        if let input = connection.input {
            input.reserve(Self.minFreeBytes)
            target = input
        } else if let upload = connection.upload, case .length(let missingCount) = upload.remainingBody,
            missingCount >= Self.minFreeBytes
        {
            return receiveBody(of: upload, missing: missingCount, from: connection)
        } else {
            target = freshReadBuffer()
        }
        let freeSpace = unsafe target.freeSpace
        let isFull: Bool
        switch unsafe Socket.receive(connection.socket.number, into: freeSpace) {
        case .transferred(let count):
            isFull = count == freeSpace.count
            target.addWritten(count)
            counters.bytesReceived += count
        case .wouldBlock: return true
        case .ended: return handleEndOfInput(connection)
        case .failed:
            close(connection)
            return false
        }
        consume(connection, target)
        // More bytes are waiting. The bytes of a large body are read into its buffer at once. Responses are sent first, because
        // reading may reveal the end of the connection.
        guard isFull, connection.upload != nil else { return true }
        flush(connection)
        guard connection.input == nil, wantsInput(connection), let upload = connection.upload,
            case .length(let missingCount) = upload.remainingBody
        else {
            return true
        }
        return receiveBody(of: upload, missing: missingCount, from: connection)
    }

    /// Minimum free bytes of a connection's buffer before each read from its socket.
    private static let minFreeBytes = 16 << 10

    /// Reads a large body from the socket into its buffer, without a copy.
    private func receiveBody(of upload: Upload, missing missingCount: Int, from connection: Connection)
        -> Bool
    {
        // A body of which little has arrived has a small buffer, see ``begin(_:bytes:headLength:in:)``.
        if unsafe upload.body.freeSpace.isEmpty {
            upload.body = pool.exchange(upload.body, for: upload.body.count + missingCount)
        }
        let bufferSpace = unsafe upload.body.freeSpace
        let freeSpace = unsafe UnsafeMutableBufferPointer(
            rebasing: bufferSpace[..<min(bufferSpace.count, missingCount)])
        switch unsafe Socket.receive(connection.socket.number, into: freeSpace) {
        case .transferred(let count):
            upload.body.addWritten(count)
            upload.remainingBody = .length(bytes: missingCount - count)
            counters.bytesReceived += count
            if count == missingCount { complete(connection, upload) }
            return true
        case .wouldBlock: return true
        case .ended: return handleEndOfInput(connection)
        case .failed:
            close(connection)
            return false
        }
    }

    /// Reads and discards the bytes after the last request.
    private func discardInput(_ connection: Connection) -> Bool {
        switch unsafe Socket.receive(connection.socket.number, into: freshReadBuffer().freeSpace) {
        case .transferred(let count):
            counters.bytesReceived += count
            connection.lingeredBytes += count
            guard connection.lingeredBytes <= limits.lingerBytes else { break }
            extendLingering(connection)
            return true
        case .wouldBlock: return true
        case .ended:
            guard connection.phase == .lingering else {
                connection.hasInputEnded = true
                return true
            }
        case .failed: break
        }
        close(connection)
        return false
    }

    /// Handles the end of input from the peer. Pending responses are still sent.
    private func handleEndOfInput(_ connection: Connection) -> Bool {
        connection.hasInputEnded = true
        connection.stopsReading = true
        if connection.upload != nil { discardUpload(of: connection) }
        guard connection.unansweredCount > 0 || connection.pendingOutput != nil || output.count > 0 else {
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
        // The discarded request was the most recent request.
        connection.nextSequence = upload.sequence
        pool.release(upload.body)
        if isObserved { discardRecord(connection) }
    }

    /// Returns `true` if further requests of this connection are to be read now.
    func wantsInput(_ connection: Connection) -> Bool {
        connection.phase == .open && !connection.stopsReading && !connection.isDeferred
            && connection.unansweredCount < limits.pipelinedRequests + (connection.upload == nil ? 0 : 1)
            && (connection.pendingOutput?.byteCount ?? 0) <= limits.queuedBytes
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
        let consumedCount = read(connection, source)
        guard connection.phase != .closed else { return }
        if let input = connection.input {
            if consumedCount < input.count && !connection.stopsReading {
                // Bytes that a response refers to must not move.
                if input.isShared {
                    connection.input = copy(input, from: consumedCount)
                } else {
                    input.removeFirst(consumedCount)
                }
            } else {
                connection.input = nil
            }
            if connection.input !== input { pool.release(input) }
        } else if consumedCount < source.count && !connection.stopsReading {
            connection.input = copy(source, from: consumedCount)
        }
    }

    private func copy(_ source: Buffer, from consumedCount: Int) -> Buffer {
        let remaining = pool.take(source.count - consumedCount)
        unsafe remaining.append(UnsafeBufferPointer(rebasing: source.bytes[consumedCount...]))
        return remaining
    }

    /// - Returns: the number of consumed bytes; the rest belongs to a request that is incomplete or must wait.
    private func read(_ connection: Connection, _ source: Buffer) -> Int {
        let bytes = unsafe source.bytes
        var consumedCount = 0
        let first = connection.nextSequence
        while consumedCount < bytes.count && wantsInput(connection) {
            guard connection.nextSequence &- first < limits.pipelinedRequests else {
                deferRequests(of: connection)
                break
            }
            let remaining = unsafe UnsafeBufferPointer(rebasing: bytes[consumedCount...])
            do throws(RequestError) {
                if connection.bytesToDiscard > 0 {
                    let droppedCount = min(connection.bytesToDiscard, remaining.count)
                    connection.bytesToDiscard -= droppedCount
                    consumedCount += droppedCount
                } else if let upload = connection.upload {
                    let (takenCount, isComplete) = try unsafe upload.consume(remaining.span)
                    consumedCount += takenCount
                    if isComplete { complete(connection, upload) }
                } else {
                    guard let length = try unsafe readHead(connection, remaining) else {
                        return consumedCount
                    }
                    consumedCount += try unsafe begin(
                        connection, bytes: remaining, headLength: length, in: source)
                }
            } catch {
                reject(connection, error)
                return bytes.count
            }
            if output.count > Self.flushThresholdBytes { flush(connection) }
        }
        return consumedCount
    }

    /// If the pending responses exceed this size, they are sent before the remaining requests in the buffer are handled.
    private static let flushThresholdBytes = 48 << 10

    private func readHead(
        _ connection: Connection, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(RequestError) -> Int? {
        if let partialHead = connection.partialHead {
            guard let length = try unsafe partialHead.parser.advance(over: bytes.span) else { return nil }
            connection.partialHead = nil
            parser = partialHead.parser
            return length
        }
        if let length = try unsafe parser.start(over: bytes.span) { return length }
        connection.partialHead = Connection.PartialHead(parser)
        return nil
    }
}
