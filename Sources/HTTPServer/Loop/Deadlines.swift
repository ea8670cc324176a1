// How long each thing may take.
extension Loop {
    func time(_ connection: Connection) {
        if connection.phase == .lingering {
            startTimer(connection, .linger, limits.lingerTime)
        } else if connection.outgoing != nil {
            startTimer(connection, .write, limits.writeTime)
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

    func startTimer(_ connection: Connection, _ timer: Connection.Timer, _ duration: Duration) {
        guard connection.timer != timer else { return }
        connection.timer = timer
        connection.deadline = now + duration.milliseconds
    }

    /// Ends what took too long.
    func expire() {
        nextTick = now + tick
        if let again = acceptsAgain {
            if now >= again { acceptAgain() } else { nextTick = min(nextTick, again) }
        }
        for case let connection? in connections where connection.deadline <= now {
            switch connection.timer {
            case .head where connection.partialHead?.parser.hasBegun == true,
                .body where connection.upload != nil:
                counters.timedOut += 1
                refuse(connection, .timeout)
                settle(connection)
            case .linger: close(connection)
            case .fresh, .idle, .head, .body, .write:
                counters.timedOut += 1
                close(connection)
            case .none: break
            }
        }
    }
}
