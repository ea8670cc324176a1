#if PostgreSQL
    #if canImport(Darwin)
        internal import Darwin
    #else
        internal import Glibc
    #endif

    /// Time limits for the answers of the server. A frozen server keeps its connections, and its operating system acknowledges what
    /// is sent to it: only a time limit detects such a server.
    struct Timeouts: Sendable {
        /// Time limit of one round trip; longer than the server's own limit for a statement, ``ConnectionSettings/sessionStatements``.
        var answer = Duration.seconds(35)
        /// Time limit of quick queries, such as the check that the server answers.
        var probe = Duration.seconds(5)
        /// Time limit of one round trip for a page that a user is waiting for.
        var page = Duration.seconds(10)

        /// Time limits for commands that take longer if the database is larger, and that a user watches.
        static let longRunning = Timeouts(answer: .seconds(7 * 24 * 3_600))
    }

    /// Functions that wait for a socket.
    enum Socket {
        static func isReadable(_ descriptor: Int32) -> Bool {
            wait(for: descriptor, orToSend: false, until: .now)
        }

        /// Waits until there is something to read or, with `orToSend`, room to send.
        ///
        /// - Returns: `false` if neither happened before the deadline, or the system cannot wait for the socket. A process that
        ///   was suspended beyond the deadline still gets the data that arrived meanwhile.
        static func wait(
            for descriptor: Int32, orToSend: Bool, until deadline: ContinuousClock.Instant
        ) -> Bool {
            while true {
                let remaining = deadline - .now
                let milliseconds = remaining / .milliseconds(1)
                var entry = pollfd(
                    fd: descriptor, events: Int16(POLLIN | (orToSend ? POLLOUT : 0)), revents: 0)
                let readyCount = unsafe poll(&entry, 1, Int32(min(max(0, milliseconds + 1), 60_000)))
                if readyCount > 0 { return true }
                if readyCount == 0, remaining <= .zero { return false }
                guard readyCount == 0 || errno == EINTR else { return false }
            }
        }
    }
#endif
