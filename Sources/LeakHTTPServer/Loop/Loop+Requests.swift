// Passing requests to the service, and rejecting requests that it must not receive.

internal import LeakGzip

extension Loop {
    /// Begins to handle the request whose head is complete in the loop's parser.
    ///
    /// - Parameters:
    ///   - bytes: the received bytes in `source`, from the first byte of the request on.
    ///   - length: the number of bytes of the head.
    ///   - source: the buffer that owns `bytes`.
    /// - Returns: the number of bytes consumed.
    func begin(
        _ connection: Connection, bytes: UnsafeBufferPointer<UInt8>, headLength length: Int, in source: Buffer
    ) throws(RequestError) -> Int {
        let head = parser.head
        let fields = parser.fields
        stopTimer(connection)
        let isOverPeerLimit = unsafe !identifyClient(of: connection, fields: fields, bytes: bytes)
        connection.requestID = unsafe requestID(of: connection, fields: fields, bytes: bytes)
        if isObserved { unsafe recordRequest(connection, head: head, fields: fields, bytes: bytes) }
        if head.hasUnknownMethod {
            let headBytes = unsafe UnsafeBufferPointer(rebasing: bytes[..<length])
            var request = unsafe Request(head: head, fields: fields, bytes: headBytes)
            request.requestID = connection.requestID
            reject(connection, .unknownMethod, answer: service.rejectUnknownMethod(of: request))
            return bytes.count
        }
        counters.requests += 1
        let headBytes = unsafe UnsafeBufferPointer(rebasing: bytes[..<length])
        var request = unsafe Request(
            head: head, fields: fields, bytes: headBytes, client: connection.client)
        request.requestID = connection.requestID
        let screening = isOverPeerLimit ? ScreeningResult(Self.peerLimitReached) : screen(head, request)
        request.context = screening.context
        let bodyLimit = max(limits.bodyBytes, screening.bodyLimit ?? 0)
        if let error = bodyError(head, limit: bodyLimit) {
            if screening.response == nil {
                service.recordRejection(of: screening.context, status: error.response.status)
            }
            throw error
        }
        var exchange = Exchange(head, fields: fields, of: unsafe headBytes.span)
        exchange.requestID = connection.requestID.take()
        let sequence = connection.nextSequence
        connection.nextSequence &+= 1
        if Int(connection.nextSequence) >= limits.requestsPerConnection || stopDeadline != nil {
            exchange.closesConnection = true
        }

        if let rejection = screening.response {
            measureCall(request)
            return length
                + reject(
                    connection, head: head, sequence: sequence, exchange: exchange, with: rejection,
                    receivedBodyBytes: bytes.count - length)
        }
        let arrivedCount = bytes.count - length
        switch head.framing {
        case .none:
            if exchange.closesConnection { connection.stopsReading = true }
            dispatch(
                connection, request: request, inflates: screening.inflates,
                responder: Responder(
                    messageQueue, connection: connection.id, sequence: sequence, exchange: exchange))
            return length
        case .length(let count) where arrivedCount >= count && !needsDeferredDecoding(head, bodyBytes: count):
            if exchange.closesConnection { connection.stopsReading = true }
            unsafe request.setBody(
                UnsafeBufferPointer(rebasing: bytes[length..<length + count]), of: source)
            dispatch(
                connection, request: request, inflates: screening.inflates,
                responder: Responder(
                    messageQueue, connection: connection.id, sequence: sequence, exchange: exchange))
            return length + count
        case .length(let count):
            // A peer that has sent little gets a small buffer.
            measureCall(request)
            let body = pool.take(arrivedCount < 16 << 10 ? min(count, 16 << 10) : count)
            unsafe startUpload(
                connection, head: head, fields: fields, headBytes: headBytes, screening: screening,
                sequence: sequence, exchange: exchange, remainingBody: .length(bytes: count), body: body,
                arrivedCount: arrivedCount)
            return length
        case .chunked:
            measureCall(request)
            let body = pool.take(16 << 10)
            let remainingBody = Upload.RemainingBody.chunked(
                ChunkParser(limits: limits, bodyLimit: bodyLimit))
            unsafe startUpload(
                connection, head: head, fields: fields, headBytes: headBytes, screening: screening,
                sequence: sequence, exchange: exchange, remainingBody: remainingBody, body: body,
                arrivedCount: arrivedCount)
            return length
        }
    }

    /// Returns the error of a request whose head announces a body that the server does not read.
    private func bodyError(_ head: Head, limit: Int) -> RequestError? {
        if head.framing != .none, head.contentEncoding == .unknown { return .unsupportedContentEncoding }
        if case .length(let count) = head.framing, count > limit { return .bodyTooLong }
        return nil
    }

    /// Screens a request before its body is read. The server itself answers `OPTIONS *`; the service screens any other
    /// request.
    private func screen(_ head: Head, _ request: borrowing Request) -> ScreeningResult {
        guard head.isAsterisk else { return service.screen(request) }
        var response = Response(.noContent)
        response.fields = [("Allow", RequestError.allowedMethods)]
        return ScreeningResult(response)
    }

    /// Stores a request whose body is incomplete, and sends `100 Continue` if the peer waits for it.
    ///
    /// - Parameter arrivedCount: the number of bytes of the body that have arrived.
    private func startUpload(
        _ connection: Connection, head: Head, fields: [FieldLine], headBytes: UnsafeBufferPointer<UInt8>,
        screening: ScreeningResult, sequence: UInt32, exchange: Exchange, remainingBody: Upload.RemainingBody,
        body: Buffer,
        arrivedCount: Int
    ) {
        connection.upload = unsafe Upload(
            head: head, fields: fields, headBytes: Array(headBytes), screening: screening, sequence: sequence,
            exchange: exchange, startedAt: now, remainingBody: remainingBody, body: body, in: uploadMemory)
        if head.expectsContinue && arrivedCount == 0 {
            connection.needsContinue = true
            sendContinue(connection)
        }
    }

    /// Rejects a request based on its head alone. A short body is dropped and the connection is kept. Reading a long body or a
    /// body of unknown length would cost more than a new connection, and after an `Expect` field it is unknown whether the body
    /// will be sent; the connection is closed then.
    ///
    /// - Parameter receivedBodyBytes: the number of received bytes after the head.
    /// - Returns: the number of received bytes of the body that were dropped.
    private func reject(
        _ connection: Connection, head: Head, sequence: UInt32, exchange: Exchange, with rejection: Response,
        receivedBodyBytes: Int
    ) -> Int {
        var exchange = exchange
        if rejection.isWithheld { exchange.closesConnection = true }
        var droppedCount = 0
        switch head.framing {
        case .none: break
        case .length(let count) where count <= limits.discardedBytes && !head.expectsContinue:
            droppedCount = min(count, receivedBodyBytes)
            connection.bytesToDiscard = count - droppedCount
        case .length, .chunked: exchange.closesConnection = true
        }
        if exchange.closesConnection {
            connection.stopsReading = true
            connection.bytesToDiscard = 0
        }
        answer(
            connection,
            AddressedResponse(
                connection: connection.id, sequence: sequence, exchange: exchange,
                response: rejection.negotiated(for: exchange)))
        return droppedCount
    }

    /// Rejects a request that cannot be parsed or completed: sends one response in order, then closes the connection.
    ///
    /// - Parameter replacement: the response to send instead of the response of `error`.
    func reject(_ connection: Connection, _ error: RequestError, answer replacement: Response? = nil) {
        switch error {
        case .timeout: break
        case .uploadMemoryExceeded: counters.evicted += 1
        default: counters.rejectedRequests += 1
        }
        let sequence: UInt32
        let receivedBytes = connection.upload?.body.count ?? 0
        var exchange = Exchange.broken
        // The method may be known even if the head is incomplete. A rejected HEAD request gets no body either (RFC 9110 §9.3.2).
        let head = connection.upload?.head ?? (connection.partialHead?.parser ?? parser).head
        exchange.isHead = head.method == .head
        exchange.requestID =
            connection.upload?.exchange.requestID ?? connection.requestID.take() ?? requestIDs?.next()
        var response = replacement ?? error.response
        if let upload = connection.upload {
            service.recordRejection(of: upload.context, status: response.status)
            sequence = upload.sequence
            connection.upload = nil
            pool.release(upload.body)
        } else {
            sequence = connection.nextSequence
            connection.nextSequence &+= 1
        }
        connection.partialHead = nil
        connection.bytesToDiscard = 0
        connection.stopsReading = true
        if isObserved {
            recordRejection(
                connection, receivedBytes: receivedBytes, requests: connection.unansweredCount,
                requestID: exchange.requestID)
        }
        response.closesConnection = true
        response.addRequestID(exchange.requestID)
        answer(
            connection,
            AddressedResponse(
                connection: connection.id, sequence: sequence, exchange: exchange, response: response))
    }

    /// The number of compressed bytes above which a body is decompressed in the next turn of the loop. Most compressed bodies
    /// have fewer.
    private static let maxImmediateDecodingBytes = 8 << 10

    /// Returns `true` if decompressing this body takes so long, up to 50 ms, that other connections are served first.
    private func needsDeferredDecoding(_ head: Head, bodyBytes: Int) -> Bool {
        head.contentEncoding != .identity && bodyBytes > Self.maxImmediateDecodingBytes
    }

    /// Passes a request whose body is complete to the service, in the next turn if decompression takes long.
    func complete(_ connection: Connection, _ upload: Upload) {
        if needsDeferredDecoding(upload.head, bodyBytes: upload.body.count) && !upload.isComplete {
            upload.isComplete = true
            deferRequests(of: connection)
            return
        }
        connection.upload = nil
        connection.needsContinue = false
        stopTimer(connection)
        if upload.exchange.closesConnection { connection.stopsReading = true }
        unsafe upload.headBytes.withUnsafeBufferPointer { headBytes in
            var request = unsafe Request(
                head: upload.head, fields: upload.fields, bytes: headBytes, client: connection.client)
            request.context = upload.context
            request.requestID = upload.exchange.requestID
            unsafe request.setBody(upload.body.bytes, of: upload.body)
            dispatch(
                connection, request: request, inflates: upload.inflates,
                responder: Responder(
                    messageQueue, connection: connection.id, sequence: upload.sequence,
                    exchange: upload.exchange))
        }
        pool.release(upload.body)
    }

    /// Passes a complete request to the service. Before that, the body is decompressed, unless the service decompresses it
    /// itself.
    ///
    /// The body is decompressed here, after its last byte has arrived, and not while it arrives. A slow sender therefore occupies
    /// memory only for the compressed bytes.
    ///
    /// - Parameter inflates: ``ScreeningResult/inflates`` of the request.
    private func dispatch(
        _ connection: Connection, request: consuming Request, inflates: Bool, responder: consuming Responder
    ) {
        servedConnection = connection
        defer { servedConnection = nil }
        if isObserved { recordBody(connection, bytes: request.bodyCount) }
        guard request.isCompressed else {
            service.serve(request, responder)
            measureCall(request)
            return
        }
        if request.bodyCount > Self.maxImmediateDecodingBytes, inflates {
            request.codedBody = CodedBody(
                request.sharedBody(), in: request.contentEncoding, limits: decoder.limits)
            service.serve(request, responder)
            measureCall(request)
            return
        }
        let target = pool.take(64 << 10)
        defer { pool.release(target) }
        do throws(InflateError) {
            try unsafe decoder.decode(request.bodyBytes, from: request.contentEncoding) {
                unsafe target.append($0)
            }
        } catch {
            var response = RequestError(error).response
            // The message has valid framing, so the connection can be kept.
            response.closesConnection = false
            service.recordRejection(of: request.context, status: response.status)
            callStart = Loop.clock
            responder.send(response)
            return
        }
        // The time for decompression does not count as time of the service.
        callStart = Loop.clock
        unsafe request.setBody(target.bytes, of: target)
        service.serve(request, responder)
        measureCall(request)
    }
}
