// How connections come and go.
extension Loop {
    /// Connections taken in one turn before others get theirs.
    private static let acceptedPerTurn = 64
    /// Milliseconds without accepting once descriptors have run out.
    private static let acceptPause: UInt64 = 100

    func accept(from index: Int) {
        guard listeners.indices.contains(index) else { return }
        let number = listeners[index].listener.descriptor.number
        var accepted = 0
        for _ in 0..<Self.acceptedPerTurn {
            do throws(SystemError) {
                take(try Socket.accept(number))
                accepted += 1
            } catch {
                switch error {
                case .wouldBlock: return
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

    private func take(_ socket: consuming Descriptor) {
        counters.accepted += 1
        guard budget.take() else {
            refuse(socket)
            return
        }
        generation = generation == UInt32.max - 1 ? 0 : generation + 1
        let slot = freeSlots.popLast() ?? UInt32(connections.count)
        let id = ConnectionID(slot: slot, generation: generation)
        let number = socket.number
        let connection = Connection(id: id, socket: socket, deadline: now + limits.headTime.milliseconds)
        do throws(SystemError) {
            try poller.add(number, token: id.token, for: .read)
        } catch {
            freeSlots.append(slot)
            if Int(slot) == connections.count { connections.append(nil) }
            budget.give()
            counters.shed += 1
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
    private func refuse(_ socket: consuming Descriptor) {
        counters.shed += 1
        var response = Response.problem(.serviceUnavailable, "Too many connections are open.")
        response.fields = [("Retry-After", "1")]
        output.clear()
        count(response.status)
        writer.write(response, for: .broken, closes: true, to: output)
        unsafe response.body.withPointer { unsafe output.append($0) }
        let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        _ = unsafe Socket.send(socket.number, output.bytes, none)
        output.clear()
        Socket.endWriting(socket.number)
    }

    /// No descriptor is left: gives the reserved one for a single peer, so that it is closed and not left
    /// waiting, and pauses, since the listener would be reported at once again.
    private func shedWithReserve(_ listener: Int32) {
        reserve = nil
        if let socket = try? Socket.accept(listener) {
            counters.accepted += 1
            counters.shed += 1
            Socket.endWriting(socket.number)
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
            try? poller.add(
                socket.listener.descriptor.number, token: Self.listenerToken + UInt64(index), for: .read)
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
        budget.give()
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
