// Opening and closing of connections.
extension Loop {
    /// Connections accepted in one turn before other events are handled.
    static let acceptedPerTurn = 64
    /// Milliseconds to pause accepting after descriptors have run out.
    private static let acceptPause: UInt64 = 100

    func accept(from index: Int) {
        guard listeners.indices.contains(index) else { return }
        let number = listeners[index].listener.descriptor.number
        var accepted = 0
        var gaveWay = false
        for _ in 0..<Self.acceptedPerTurn {
            do throws(SystemError) {
                var newcomer = try Socket.accept(number)
                if trustedProxies.contain(newcomer.address) { newcomer.peer = .proxy }
                accepted += 1
                gaveWay = false
                counters.accepted += 1
                admit(newcomer, passesOn: stopDeadline == nil)
            } catch {
                guard error != .wouldBlock else { return }
                counters.failedAccepts += 1
                switch error {
                case .tooManyFiles where !gaveWay && makeRoom(for: nil):
                    // A connection was evicted, as at the connection limit.
                    gaveWay = true
                case .tooManyFiles, .tooManyFilesInSystem:
                    shedWithReserve(number)
                    return
                // The peer disconnected before it was accepted; the next one may still be there.
                default: continue
                }
            }
        }
        // Only errors occurred, for example for lack of memory. Without a pause the listener would be reported as ready at once
        // again.
        if accepted == 0 { pauseAccepting() }
    }

    /// Admits a new connection, evicting the one that has waited longest if necessary.
    ///
    /// - Parameter passesOn: `true` if another loop may be asked to evict one of its connections.
    func admit(_ newcomer: consuming Newcomer, passesOn: Bool) {
        switch budget.acquire(in: place, for: newcomer.peer) {
        case .granted: adopt(newcomer)
        case .crowded:
            counters.shed.address += 1
            refuse(newcomer)
        case .limitReached:
            // Another loop may have taken the freed slot first.
            if makeRoom(for: newcomer.peer), budget.acquire(in: place, for: newcomer.peer) == .granted {
                adopt(newcomer)
            } else if passesOn, let partner = budget.partner(besides: place, at: now), partner.takesNewcomers
            {
                partner.deliver(newcomer)
            } else {
                counters.shed.limit += 1
                refuse(newcomer)
            }
        }
    }

    /// - Precondition: The limiter has granted the connection.
    private func adopt(_ newcomer: consuming Newcomer) {
        generation = generation == UInt32.max - 1 ? 0 : generation + 1
        let slot = freeSlots.popLast() ?? UInt32(connections.count)
        let id = ConnectionID(slot: slot, generation: generation)
        let number = newcomer.socket.number
        let peer = newcomer.peer
        let connection = Connection(id: id, newcomer, deadline: now + limits.headTime.milliseconds)
        do throws(SystemError) {
            try poller.add(number, token: id.token, for: .read)
        } catch {
            freeSlots.append(slot)
            if Int(slot) == connections.count { connections.append(nil) }
            budget.release(in: place, for: peer)
            counters.shed.descriptors += 1
            return
        }
        if Int(slot) == connections.count {
            connections.append(connection)
        } else {
            connections[Int(slot)] = connection
        }
        if counters.open == 0 { nextTick = now + tick }
        counters.open += 1
    }

    /// Rejects a connection beyond the limit, without waiting for a request.
    private func refuse(_ newcomer: consuming Newcomer) {
        excuse(newcomer.socket.number)
        // A request may have arrived with the handshake: closing with unread bytes would make the system discard the response.
        _ = unsafe Socket.receive(newcomer.socket.number, into: emptyScratch().free)
    }

    /// Sends a 503 to a peer whose connection is about to be closed, if the socket accepts it at once.
    func excuse(_ number: Int32) {
        var response = Response.problem(
            .serviceUnavailable, "Too many connections are open; send the request again later.")
        response.fields = [("Retry-After", "1")]
        output.clear()
        writer.write(response, for: .broken, closes: true, to: output)
        unsafe response.body.withPointer { unsafe output.append($0) }
        let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        if case .bytes(let sent) = unsafe Socket.send(number, output.bytes, then: none) {
            counters.bytesSent += sent
        }
        output.clear()
        Socket.endWriting(number)
    }

    /// Handles the lack of descriptors: uses the reserved one to accept and close a single peer, so that it is not left waiting,
    /// and pauses accepting, because the listener would be reported as ready at once again.
    private func shedWithReserve(_ listener: Int32) {
        reserve = nil
        if let newcomer = try? Socket.accept(listener) {
            counters.accepted += 1
            counters.shed.descriptors += 1
            Socket.endWriting(newcomer.socket.number)
        }
        if let descriptor = try? Descriptor.reserve() { reserve = Reserve(descriptor) }
        pauseAccepting()
    }

    private func pauseAccepting() {
        guard acceptsAgain == nil else { return }
        acceptsAgain = now + Self.acceptPause
        nextTick = min(nextTick, now + Self.acceptPause)
        for socket in listeners { poller.remove(socket.listener.descriptor.number, from: .read) }
    }

    func acceptAgain() {
        acceptsAgain = nil
        if reserve == nil, let descriptor = try? Descriptor.reserve() { reserve = Reserve(descriptor) }
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
        let slot = Int(connection.id.slot)
        guard connections.indices.contains(slot), connections[slot] === connection else { return }
        poller.remove(connection.socket.number, from: connection.interest)
        if let input = connection.input { pool.release(input) }
        if let upload = connection.upload { pool.release(upload.body) }
        connection.input = nil
        connection.upload = nil
        connection.phase = .closed
        connections[slot] = nil
        freeSlots.append(connection.id.slot)
        counters.open -= 1
        output.clear()
        budget.release(in: place, for: connection.peer)
    }

    func count(_ status: Status) {
        switch status.code {
        case 200...299: counters.successful += 1
        case 300...399: counters.redirected += 1
        case 400...499: counters.clientErrors += 1
        default: counters.serverErrors += 1
        }
    }
}
