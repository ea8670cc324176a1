import HTTPServer
import HTTPVectors
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct DescriptorTests {
    #if os(Linux)
        /// In a process of its own, since the limit is the whole process's.
        @Test func `without descriptors peers are turned away with pauses and not in a spin`() async {
            await #expect(processExitsWith: .success) {
                let server = try Server(.init(port: 0), service: EchoService())
                // They wait in the listener's queue until the server starts.
                let clients = (0..<6).map { _ in Client(port: server.port) }
                // Leaves room for two: the two lowest free numbers.
                let free = [dup(0), dup(0)]
                for number in free { close(number) }
                var limit = rlimit(rlim_cur: rlim_t(free[1] + 1), rlim_max: rlim_t(free[1] + 100))
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)

                let clock = ContinuousClock()
                let start = clock.now
                server.start()
                func handled() -> Int { server.counters.accepted + server.counters.shed }
                while handled() < 6 && clock.now - start < .seconds(2) { Client.pause() }
                let shed = server.counters.shed
                // One peer at a time is turned away, with a pause before the next.
                let isPaced = clock.now - start > .milliseconds(100 * (shed - 1) - 20)

                // Whatever else took the last numbers meanwhile, as the testing library may: with numbers to give
                // again the server goes on, and nobody is left without an answer or an end.
                limit.rlim_cur = limit.rlim_max
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                var answered = 0
                for client in clients {
                    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    if client.nextAnswer()?.status == 200 { answered += 1 }
                }
                let isEveryoneHandled = server.comesToCount { answered + $0.shed == 6 }
                exit(shed > 0 && isPaced && isEveryoneHandled ? 0 : 1)
            }
        }
    #endif

    @Test func `connections that come and go leave no descriptor behind`() throws {
        try withServer { server in
            let before = openDescriptors()
            for round in 0..<100 {
                let client = Client(port: server.port)
                client.send(
                    "GET / HTTP/1.1\r\nHost: a\r\n\(round.isMultiple(of: 2) ? "Connection: close\r\n" : "")\r\n"
                )
                _ = client.nextAnswer()
                if round.isMultiple(of: 3) { client.reset() }
            }
            #expect(server.comesToCount { $0.accepted == 100 && $0.open == 0 })
            // Other tests open descriptors at the same time, but not a hundred.
            #expect(openDescriptors() < before + 80)
        }
    }

    private func openDescriptors() -> Int {
        (0..<4096).count { fcntl($0, F_GETFD) >= 0 }
    }
}
