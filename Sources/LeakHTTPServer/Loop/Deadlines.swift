// How long each thing may take.
extension Loop {
    func time(_ connection: Connection) {
        if connection.phase == .lingering {
            startLingering(connection)
        } else if connection.outgoing != nil {
            startTimer(connection, .write, limits.writeTime)
        } else if connection.isQueued {
            // It waits for us.
            connection.timer = .none
            connection.deadline = .max
        } else if let upload = connection.upload {
            let units = UInt64(upload.body.count / max(limits.bodyUnitBytes, 1))
            connection.timer = .body
            connection.deadline =
                upload.began + limits.bodyTime.milliseconds + units * limits.bodyTimePerUnit.milliseconds
        } else if connection.discarding > 0 {
            startTimer(connection, .body, limits.bodyTime)
        } else if connection.unanswered > 0 {
            connection.timer = .none
            connection.deadline = .max
        } else if connection.partialHead != nil {
            startTimer(connection, .head, limits.headTime)
        } else if connection.nextSequence > 0 {
            // Starts anew with each request.
            guard connection.timer != .idle else { return }
            connection.timer = .idle
            connection.deadline = now + idleMilliseconds
        }
    }

    /// A request has begun or is whole: it starts anew what it is waited for. What a peer owes by not reading goes on,
    /// however much it asks meanwhile.
    func stopTimer(_ connection: Connection) {
        if connection.outgoing == nil { connection.timer = .none }
    }

    func startTimer(_ connection: Connection, _ timer: Connection.Timer, _ duration: Duration) {
        guard connection.timer != timer else { return }
        connection.timer = timer
        connection.deadline = now + duration.milliseconds
    }

    /// Starts waiting for a refused peer to read its answer and close.
    func startLingering(_ connection: Connection) {
        guard connection.timer != .linger else { return }
        connection.lingerEnd = now + limits.lingerTotalTime.milliseconds
        startTimer(connection, .linger, min(limits.lingerTime, limits.lingerTotalTime))
    }

    /// Waits longer for a refused peer that has just sent more, up to ``Limits/lingerTotalTime``.
    func prolongLingering(_ connection: Connection) {
        guard connection.timer == .linger, stopDeadline == nil else { return }
        connection.deadline = min(now + limits.lingerTime.milliseconds, connection.lingerEnd)
    }

    /// Time that reading `count` bytes of an answer earns a peer: one that reads as fast as the slowest line we wait
    /// for never uses up ``Limits/writeTime``, one that takes a byte now and then does.
    func prolongWriting(_ connection: Connection, by count: Int) {
        let earned = UInt64(count) * 1000 / UInt64(max(limits.writeBytesPerSecond, 1))
        connection.deadline = min(now + limits.writeTime.milliseconds, connection.deadline + earned)
    }

    /// Ends what took too long.
    func expire() {
        // What begins after this look ends after the shortest limit at the earliest.
        var earliest = now + shortestLimit
        // The table may be changed on the way.
        for index in connections.indices {
            guard let connection = connections[index] else { continue }
            if connection.deadline <= now { expire(connection) }
            if connections[index] === connection { earliest = min(earliest, connection.deadline) }
        }
        nextTick = max(earliest, now + tick)
        if let again = acceptsAgain {
            if now >= again { acceptAgain() } else { nextTick = min(nextTick, again) }
        }
    }

    private func expire(_ connection: Connection) {
        switch connection.timer {
        case .fresh, .idle:
            counters.timedOut.idle += 1
            close(connection)
        case .head:
            // Nothing was asked, so nothing is answered, where only empty lines have come.
            let hasBegun = connection.partialHead?.parser.hasBegun == true
            if hasBegun { counters.timedOut.head += 1 } else { counters.timedOut.idle += 1 }
            if hasBegun { refuseLate(connection) } else { close(connection) }
        case .body:
            counters.timedOut.body += 1
            if connection.upload != nil { refuseLate(connection) } else { stopDiscarding(connection) }
        case .write:
            counters.timedOut.write += 1
            close(connection)
        case .linger: close(connection)
        case .none: break
        }
    }

    /// Gives up a refused body that is longer in coming than it may be. Answers that are owed still go out, and the peer
    /// gets to read them.
    private func stopDiscarding(_ connection: Connection) {
        connection.discarding = 0
        connection.takesNoMore = true
        settle(connection)
    }

    private func refuseLate(_ connection: Connection) {
        refuse(connection, .timeout)
        settle(connection)
    }
}

extension Duration {
    /// Whole milliseconds, rounded down, never negative.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = max(self, .zero).components
        let whole = UInt64(min(seconds, 1 << 40))
        return whole * 1000 + UInt64(attoseconds / 1_000_000_000_000_000)
    }
}
