// How connections come and go.
extension Loop {
    /// Connections taken in one turn before others get theirs.
    static let acceptedPerTurn = 64
    /// Milliseconds without accepting once descriptors have run out.
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
                    // Somebody's place has become free, as at the limit of connections.
                    gaveWay = true
                case .tooManyFiles, .tooManyFilesInSystem:
                    shedWithReserve(number)
                    return
                // A peer that left before it was accepted: the next one may do.
                default: continue
                }
            }
        }
        // Nothing but errors, such as memory that is short: the listener would be reported at once again.
        if accepted == 0 { pauseAccepting() }
    }

    /// Gives a newcomer a place, if need be that of a connection that has waited longest.
    ///
    /// - Parameter passesOn: whether another loop may be asked to give one of its places.
    func admit(_ newcomer: consuming Newcomer, passesOn: Bool) {
        switch budget.take(in: place, for: newcomer.peer) {
        case .granted: adopt(newcomer)
        case .crowded:
            counters.shed.address += 1
            refuse(newcomer)
        case .full:
            // Another loop may be quicker to take the place that has become free.
            if makeRoom(for: newcomer.peer), budget.take(in: place, for: newcomer.peer) == .granted {
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

    /// - Precondition: the budget has granted it.
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
            budget.give(in: place, for: peer)
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

    /// One too many: says so, without waiting for a request.
    private func refuse(_ newcomer: consuming Newcomer) {
        excuse(newcomer.socket.number)
        // A request that came with the handshake: closing with bytes unread would make the system throw the answer
        // away.
        _ = unsafe Socket.receive(newcomer.socket.number, into: emptyScratch().free)
    }

    /// Says 503 to a peer that is about to be closed, if its socket takes it at once.
    func excuse(_ number: Int32) {
        var response = Response.problem(.serviceUnavailable, "Too many connections are open.")
        response.fields = [("Retry-After", "1")]
        output.clear()
        writer.write(response, for: .broken, closes: true, to: output)
        unsafe response.body.withPointer { unsafe output.append($0) }
        let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        if case .bytes(let sent) = unsafe Socket.send(number, output.bytes, none) {
            counters.bytesSent += sent
        }
        output.clear()
        Socket.endWriting(number)
    }

    /// No descriptor is left: gives the reserved one for a single peer, so that it is closed and not left
    /// waiting, and pauses, since the listener would be reported at once again.
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
                // Short of memory: all over again a little later.
                pauseAccepting()
                return
            }
        }
    }

    func close(_ connection: Connection) {
        let slot = Int(connection.id.slot)
        guard connections.indices.contains(slot), connections[slot] === connection else { return }
        poller.remove(connection.socket.number, from: connection.interest)
        if let input = connection.input { pool.give(input) }
        if let upload = connection.upload { pool.give(upload.body) }
        connection.input = nil
        connection.upload = nil
        connection.phase = .closed
        connections[slot] = nil
        freeSlots.append(connection.id.slot)
        counters.open -= 1
        output.clear()
        budget.give(in: place, for: connection.peer)
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
