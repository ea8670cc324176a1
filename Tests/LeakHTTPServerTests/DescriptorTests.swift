import LeakHTTPServer
import LeakHTTPVectors
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

#if os(Linux)
    /// Opens all descriptors that this process may have, at least two, after lowering the limit.
    ///
    /// The limit stays above the highest open descriptor: with a lower limit, the server could not reuse the numbers that it
    /// closes. Lower numbers may be free, because descriptors that are inherited from other tests may have high numbers.
    private func takeDescriptors() -> (taken: [Int32], limit: rlimit) {
        let highest = (0..<4096).last { fcntl($0, F_GETFD) >= 0 } ?? 2
        var limit = rlimit(rlim_cur: rlim_t(highest + 3), rlim_max: rlim_t(highest + 100))
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var taken: [Int32] = []
        while case let number = dup(0), number >= 0 { taken.append(number) }
        return (taken, limit)
    }
#endif

@Suite struct DescriptorTests {
    #if os(Linux)
        /// Runs in a separate process, because the limit applies to the whole process.
        @Test func `if file descriptors run out, the server rejects peers with pauses, not in a busy loop`()
            async
        {
            await #expect(processExitsWith: .success) {
                let later = LaterService()
                let server = try Server(.init(port: 0), service: later)
                // The clients wait in the listener's backlog until the server starts. All have sent a request, so none is idle.
                let clients = (0..<6).map { _ in Client(port: server.port) }
                for (index, client) in clients.enumerated() {
                    client.send("GET /\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
                }
                // Two descriptors are left for the server.
                let (taken, lowered) = takeDescriptors()
                for number in taken.suffix(2) { close(number) }

                let clock = ContinuousClock()
                let start = clock.now
                server.start()
                while server.counters.accepted < 6 && clock.now - start < .seconds(60) { Client.pause() }
                let counters = server.counters
                let rejectedCount = counters.rejectedConnections.withoutDescriptor
                // The server rejects one peer at a time, with a pause before the next, and one call of accept fails each time.
                let took = clock.now - start
                let isPaced =
                    took > .milliseconds(100 * (rejectedCount - 1) - 20)
                    && Double(counters.failedAccepts) <= took / .milliseconds(100) + 2

                // Other code, such as the testing library, may have taken the last descriptors meanwhile. Once
                // descriptors are available again, the server continues, and every client gets an answer or the end of
                // its connection.
                var limit = lowered
                limit.rlim_cur = limit.rlim_max
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let isEveryoneHandled = server.waitForCounters {
                    $0.requests + $0.rejectedConnections.withoutDescriptor == 6
                }
                later.answerAll()
                let answered = clients.count { $0.nextAnswer()?.status == 200 }
                let rejectedTotal = server.counters.rejectedConnections.total
                exit(
                    rejectedCount > 0 && isPaced && isEveryoneHandled && answered + rejectedTotal == 6
                        ? 0 : 1)
            }
        }

        /// Runs in a separate process, because the limit applies to the whole process. A connection that has sent nothing
        /// is evicted first, so in the second case all connections have begun a request.
        @Test(arguments: [10, 20])
        func `if file descriptors run out, a connection without a complete request is closed`(
            requestCount: Int
        )
            async
        {
            await #expect(processExitsWith: .success) { [requestCount] in
                var configuration = Server.Configuration(port: 0)
                configuration.onAnswer = { _ = AccessFormat.json.line($0) }
                configuration.onSlowCall = { _ in }
                let server = try Server(configuration, service: EchoService())
                server.start()
                // These clients connect before the descriptors run out. Each sends nothing, or the first byte of a request.
                let silent = (0..<20).map { _ in Client(port: server.port) }
                for client in silent.prefix(requestCount) { client.send("G") }
                guard server.waitForCounters({ $0.openConnections == 20 }) else { exit(2) }
                // A connection with a begun request can be evicted after a second.
                for _ in 0..<(requestCount == 20 ? 400 : 20) { Client.pause() }
                var taken = takeDescriptors().taken
                var clients: [Client] = []
                var isServed = true
                while isServed, server.counters.evicted == 0 {
                    // This leaves one descriptor for the client and none for the server, even if other code, such as the
                    // testing library, has closed some meanwhile.
                    while true {
                        let number = dup(0)
                        guard number >= 0 else { break }
                        taken.append(number)
                    }
                    guard let last = taken.popLast() else { exit(3) }
                    close(last)
                    let client = Client(port: server.port)
                    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    isServed = client.nextAnswer()?.status == 200
                    clients.append(client)
                    // A busy server may have read the first bytes only now. Then it rejects clients for a second.
                    if requestCount == 20, clients.count < 50 { isServed = true }
                }
                let isCounted =
                    server.counters.evicted >= 1
                    && (requestCount == 20 || server.counters.rejectedConnections.total == 0)
                exit(isServed && isCounted && silent.count == 20 ? 0 : 1)
            }
        }

        /// Runs in a separate process, because the limit applies to the whole process.
        @Test func `the descriptor limit is raised as far as allowed, and some descriptors are left unused`()
            async
        {
            await #expect(processExitsWith: .success) {
                // Closes sockets of other tests, which this process may have inherited, so that they do not count.
                for number in 3..<4096 {
                    var (type, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
                    if unsafe getsockopt(Int32(number), SOL_SOCKET, SO_TYPE, &type, &length) == 0 {
                        close(Int32(number))
                    }
                }
                var limit = rlimit(rlim_cur: 100, rlim_max: 160)
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let later = LaterService()
                let server = try Server(.init(port: 0), service: later)
                unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                // The server wants 1024 descriptors. It leaves 128 of 160 for other uses.
                guard limit.rlim_cur == 160, server.connectionLimit == 32 else { exit(2) }
                server.start()
                let ask = { () -> Client in
                    let client = Client(port: server.port)
                    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return client
                }
                let served = (0..<32).map { _ in ask() }
                // Until all clients have sent their request, a new connection evicts a connection without a request.
                guard later.waitForRequests(32) else { exit(3) }
                let others = (0..<8).map { _ in ask() }
                let isBounded = server.waitForCounters {
                    $0.openConnections == 32 && $0.rejectedConnections.overTotalLimit == 8
                }
                exit(isBounded && served.count + others.count == 40 ? 0 : 1)
            }
        }
    #endif

    /// Runs in a separate process, in which no other code opens descriptors.
    @Test func `closed connections leave no descriptor open`() async {
        await #expect(processExitsWith: .success) {
            let server = try Server(.init(port: 0), service: EchoService())
            server.start()
            /// Opens connections that end in different ways, and returns the number of descriptors that are open after them.
            func openAfter(_ rounds: Int, accepted: Int) -> Int? {
                for round in 0..<rounds {
                    let client = Client(port: server.port)
                    let last = round.isMultiple(of: 2) ? "Connection: close\r\n" : ""
                    client.send("GET / HTTP/1.1\r\nHost: a\r\n\(last)\r\n")
                    _ = client.nextAnswer()
                    if round.isMultiple(of: 3) { client.reset() }
                }
                guard server.waitForCounters({ $0.accepted == accepted && $0.openConnections == 0 }) else {
                    return nil
                }
                return (0..<4096).count { fcntl($0, F_GETFD) >= 0 }
            }
            // The first connection may open descriptors that the process keeps.
            guard let before = openAfter(1, accepted: 1) else { exit(2) }
            exit(openAfter(100, accepted: 101) == before ? 0 : 1)
        }
    }
}
