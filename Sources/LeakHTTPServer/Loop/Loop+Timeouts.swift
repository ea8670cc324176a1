// Timeouts of connections.
extension Loop {
    /// Sets the deadline for the action that the connection waits for.
    func updateDeadline(of connection: Connection) {
        if connection.phase == .lingering {
            startLingering(connection)
        } else if connection.pendingOutput != nil {
            startTimer(connection, .write, lasting: limits.writeTime)
        } else if connection.isDeferred {
            // The connection waits for this loop.
            connection.timer = .none
            connection.deadline = .max
        } else if let upload = connection.upload {
            let units = UInt64(upload.body.count / max(limits.bodyUnitBytes, 1))
            connection.timer = .body
            connection.deadline =
                upload.startedAt + limits.bodyTime.milliseconds + units * limits.bodyTimePerUnit.milliseconds
        } else if connection.bytesToDiscard > 0 {
            startTimer(connection, .body, lasting: limits.bodyTime)
        } else if connection.unansweredCount > 0 {
            connection.timer = .none
            connection.deadline = .max
        } else if connection.partialHead != nil {
            startTimer(connection, .head, lasting: limits.headTime)
        } else if connection.nextSequence > 0 {
            // The idle time starts again after each request.
            guard connection.timer != .idle else { return }
            connection.timer = .idle
            connection.deadline = now + idleMilliseconds
        }
    }

    /// Stops the timer, because a request has begun or is complete. The timer for writing continues, because a peer that does not
    /// read must not gain time by sending requests.
    func stopTimer(_ connection: Connection) {
        if connection.pendingOutput == nil { connection.timer = .none }
    }

    func startTimer(_ connection: Connection, _ timer: Connection.Timer, lasting duration: Duration) {
        guard connection.timer != timer else { return }
        connection.timer = timer
        connection.deadline = now + duration.milliseconds
    }

    /// Starts to wait until the peer has read the last response and closed the connection.
    func startLingering(_ connection: Connection) {
        guard connection.timer != .linger else { return }
        connection.lingerEnd = now + limits.lingerTotalTime.milliseconds
        startTimer(connection, .linger, lasting: min(limits.lingerTime, limits.lingerTotalTime))
    }

    /// Extends the deadline of a lingering connection whose peer has just sent more bytes, up to ``Limits/lingerTotalTime``.
    func extendLingering(_ connection: Connection) {
        guard connection.timer == .linger, stopDeadline == nil else { return }
        connection.deadline = min(now + limits.lingerTime.milliseconds, connection.lingerEnd)
    }

    /// Extends the write deadline of a peer that has read `count` bytes of a response. A peer that reads as fast as the slowest
    /// supported connection never uses up ``Limits/writeTime``; a peer that reads only single bytes at long intervals uses it
    /// up.
    func extendWriteDeadline(_ connection: Connection, by count: Int) {
        let extensionMilliseconds = UInt64(count) * 1000 / UInt64(max(limits.writeBytesPerSecond, 1))
        connection.deadline = min(
            now + limits.writeTime.milliseconds, connection.deadline + extensionMilliseconds)
    }

    /// Handles all connections whose deadline has passed.
    func expire() {
        // A timer that starts after this check ends after the shortest limit at the earliest.
        var earliest = now + shortestLimitMilliseconds
        // The table may change during the iteration.
        for index in connections.indices {
            guard let connection = connections[index] else { continue }
            if connection.deadline <= now { expire(connection) }
            if connections[index] === connection { earliest = min(earliest, connection.deadline) }
        }
        nextDeadlineCheck = max(earliest, now + tickMilliseconds)
        if let resumeTime = acceptResumesAt {
            if now >= resumeTime {
                resumeAccepting()
            } else {
                nextDeadlineCheck = min(nextDeadlineCheck, resumeTime)
            }
        }
    }

    private func expire(_ connection: Connection) {
        switch connection.timer {
        case .fresh, .idle:
            counters.timedOut.idle += 1
            close(connection)
        case .head:
            // If only empty lines have arrived, there is no request to answer.
            let hasBegun = connection.partialHead?.parser.hasBegun == true
            if hasBegun { counters.timedOut.head += 1 } else { counters.timedOut.idle += 1 }
            if hasBegun { rejectTimedOut(connection) } else { close(connection) }
        case .body:
            counters.timedOut.body += 1
            if connection.upload != nil { rejectTimedOut(connection) } else { stopDiscarding(connection) }
        case .write:
            counters.timedOut.write += 1
            close(connection)
        case .linger: close(connection)
        case .none: break
        }
    }

    /// Stops waiting for a rejected body that takes too long. Pending responses are still sent, and the peer can read them.
    private func stopDiscarding(_ connection: Connection) {
        connection.bytesToDiscard = 0
        connection.stopsReading = true
        finishTurn(connection)
    }

    private func rejectTimedOut(_ connection: Connection) {
        reject(connection, .timeout)
        finishTurn(connection)
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
