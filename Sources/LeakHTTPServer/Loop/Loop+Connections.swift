// Opening and closing of connections.
extension Loop {
    /// The most connections that a listener accepts in one turn, before other events are handled.
    static let maxAcceptedPerTurn = 64
    /// Milliseconds to pause accepting after descriptors or memory ran out.
    private static let acceptPauseMilliseconds: UInt64 = 100

    /// Accepts connections from the listener at `index`.
    func accept(from index: Int) {
        guard listeners.indices.contains(index) else { return }
        let number = listeners[index].listener.descriptor.number
        var acceptedCount = 0
        var hasEvicted = false
        for _ in 0..<Self.maxAcceptedPerTurn {
            do throws(SystemError) {
                var incoming = try Socket.accept(number)
                if trustedProxies.contains(incoming.address) { incoming.peer = .proxy }
                acceptedCount += 1
                hasEvicted = false
                counters.accepted += 1
                admit(incoming, mayAskOtherLoop: stopDeadline == nil)
            } catch {
                guard error != .wouldBlock else { return }
                counters.failedAccepts += 1
                switch error {
                case .tooManyFiles where !hasEvicted && evictConnection(for: nil):
                    // A connection was evicted, as at the connection limit, so its descriptor is free for the next call.
                    hasEvicted = true
                case .tooManyFiles, .tooManyFilesInSystem:
                    rejectWithSpareDescriptor(number)
                    return
                // The peer disconnected before it was accepted; the next peer may still be there.
                default: continue
                }
            }
        }
        // Only errors occurred, for example for lack of memory. Without a pause the listener would be reported as ready at once
        // again.
        if acceptedCount == 0 { pauseAccepting() }
    }

    /// Admits a new connection. If necessary, evicts the connection that has waited longest.
    ///
    /// - Parameter mayAskOtherLoop: `true` if another loop may be asked to evict one of its connections.
    func admit(_ incoming: consuming AcceptedConnection, mayAskOtherLoop: Bool) {
        switch limiter.acquire(in: loopNumber, for: incoming.peer) {
        case .granted: adopt(incoming)
        case .peerLimitReached:
            counters.rejectedConnections.overAddressLimit += 1
            reject(incoming)
        case .limitReached:
            // Meanwhile another loop may have admitted a connection in place of the evicted connection.
            if evictConnection(for: incoming.peer),
                limiter.acquire(in: loopNumber, for: incoming.peer) == .granted
            {
                adopt(incoming)
            } else if mayAskOtherLoop,
                let evictionQueue = limiter.evictionQueue(besides: loopNumber, at: now),
                evictionQueue.acceptsConnections
            {
                evictionQueue.deliver(incoming)
            } else {
                counters.rejectedConnections.overTotalLimit += 1
                reject(incoming)
            }
        }
    }

    /// Adds a connection to the loop.
    ///
    /// - Precondition: The limiter has granted the connection.
    private func adopt(_ incoming: consuming AcceptedConnection) {
        generation = generation == UInt32.max - 1 ? 0 : generation + 1
        let index = freeIndexes.popLast() ?? UInt32(connections.count)
        let id = ConnectionID(index: index, generation: generation)
        let number = incoming.socket.number
        let peer = incoming.peer
        let connection = Connection(id: id, incoming, deadline: now + limits.headTime.milliseconds)
        do throws(SystemError) {
            try poller.add(number, token: id.token, for: .read)
        } catch {
            freeIndexes.append(index)
            if Int(index) == connections.count { connections.append(nil) }
            limiter.release(in: loopNumber, for: peer)
            counters.rejectedConnections.withoutDescriptor += 1
            return
        }
        if Int(index) == connections.count {
            connections.append(connection)
        } else {
            connections[Int(index)] = connection
        }
        if counters.openConnections == 0 { nextDeadlineCheck = now + tickMilliseconds }
        counters.openConnections += 1
    }

    /// Rejects a connection beyond the limit, without waiting for a request.
    private func reject(_ incoming: consuming AcceptedConnection) {
        sendUnavailable(incoming.socket.number)
        // A request may have arrived with the handshake: closing with unread bytes would make the system discard the response.
        if case .transferred(let count) = unsafe Socket.receive(
            incoming.socket.number, into: freshReadBuffer().freeSpace)
        {
            counters.bytesReceived += count
        }
    }

    /// Sends a 503 to a peer whose connection is about to be closed. If the socket does not accept all bytes at once, the rest
    /// is dropped.
    func sendUnavailable(_ number: Int32) {
        var response = Response.problem(
            .serviceUnavailable, "Too many connections are open; send the request again later.")
        response.fields = [("Retry-After", "1")]
        output.clear()
        writer.write(response, for: .broken, closesConnection: true, to: output)
        unsafe response.body.withPointer { unsafe output.append($0) }
        let emptyBytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        if case .transferred(let sent) = unsafe Socket.send(number, output.bytes, then: emptyBytes) {
            counters.bytesSent += sent
        }
        output.clear()
        Socket.endWriting(number)
    }

    /// Handles the lack of descriptors: uses the spare descriptor to accept and close a single connection, so that its peer
    /// does not wait until it times out, and pauses accepting, because the listener would be reported as ready at once again.
    private func rejectWithSpareDescriptor(_ listener: Int32) {
        spareDescriptor = nil
        if let incoming = try? Socket.accept(listener) {
            counters.accepted += 1
            counters.rejectedConnections.withoutDescriptor += 1
            Socket.endWriting(incoming.socket.number)
        }
        if let descriptor = try? Descriptor.openSpare() { spareDescriptor = SpareDescriptor(descriptor) }
        pauseAccepting()
    }

    private func pauseAccepting() {
        guard acceptResumesAt == nil else { return }
        acceptResumesAt = now + Self.acceptPauseMilliseconds
        nextDeadlineCheck = min(nextDeadlineCheck, now + Self.acceptPauseMilliseconds)
        for socket in listeners { poller.remove(socket.listener.descriptor.number, from: .read) }
    }

    func resumeAccepting() {
        acceptResumesAt = nil
        if spareDescriptor == nil, let descriptor = try? Descriptor.openSpare() {
            spareDescriptor = SpareDescriptor(descriptor)
        }
        for (index, socket) in listeners.enumerated() {
            let number = socket.listener.descriptor.number
            do throws(SystemError) {
                try poller.add(number, token: Self.listenerToken + UInt64(index), for: .read)
            } catch {
                // Memory is short: try again a little later.
                pauseAccepting()
                return
            }
        }
    }

    func close(_ connection: Connection) {
        let index = Int(connection.id.index)
        guard connections.indices.contains(index), connections[index] === connection else { return }
        poller.remove(connection.socket.number, from: connection.interest)
        if let input = connection.input { pool.release(input) }
        if let upload = connection.upload { pool.release(upload.body) }
        connection.input = nil
        connection.upload = nil
        connection.phase = .closed
        connections[index] = nil
        freeIndexes.append(connection.id.index)
        counters.openConnections -= 1
        output.clear()
        limiter.release(in: loopNumber, for: connection.peer)
    }

    func countResponse(_ status: Status) {
        switch status.code {
        case 200...299: counters.successful += 1
        case 300...399: counters.redirected += 1
        case 400...499: counters.clientErrors += 1
        default: counters.serverErrors += 1
        }
    }
}
