import LeakSeededRandom
import Foundation
import LeakHTTPServer
import LeakHTTPVectors
import Testing

/// Hostile clients in any mixture, and well-behaved clients, which must still get all of their answers. The seed determines the
/// run, except for the effects of the system's scheduler. `STORM_SEEDS` is the number of seeds, `STORM_FIRST` the first seed.
@Suite(.serialized) struct StormTests {
    private static let seeds: Range<Int> = {
        func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
        let first = number("STORM_FIRST") ?? 1
        return first..<first + (number("STORM_SEEDS") ?? 12)
    }()

    /// Time limits so long that a busy machine does not close a connection.
    private static let patient: Limits = {
        var limits = Limits()
        limits.headTime = .seconds(60)
        limits.bodyTime = .seconds(60)
        limits.writeTime = .seconds(60)
        limits.lingerTime = .seconds(60)
        return limits
    }()

    @Test(arguments: seeds)
    func `each client gets all of its own responses, and none of another client`(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let service = StormService()
        try withServer(service, loops: random.once(in: 4) ? 2 : 1, limits: Self.patient) { server in
            defer { service.releaseLoop() }
            let waves = random.number(2...6)
            let port = server.port
            var hostile = (0..<6).map { index in
                StormClient(
                    hostile: "hostile-client\(index)", port: port, bursts: random.number(1...waves), &random)
            }
            let wellBehaved = (0..<6).map { index in
                StormClient(wellBehaved: "well-behaved-client\(index)", port: port, bursts: waves, &random)
            }
            for _ in 0..<waves {
                let holder = random.once(in: 3) ? nil : Client(port: port)
                if let holder {
                    holder.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
                    try #require(service.waitUntilHeld())
                }
                for client in (hostile + wellBehaved).shuffled(using: &random) { client.sendNextBurst() }
                service.releaseLoop()
                for client in wellBehaved {
                    let violation = client.completeExchange { service.answerWaitingRequests(&random) }
                    #expect(violation == nil)
                }
                if let holder { #expect(holder.nextAnswer()?.text == "/hold") }
            }
            for client in hostile {
                let violation = client.completeExchange { service.answerWaitingRequests(&random) }
                #expect(violation == nil)
            }
            for client in wellBehaved {
                let violation = client.disconnect()
                #expect(violation == nil)
            }
            hostile = []
            #expect(server.waitForCounters { $0.openConnections == 0 })
        }
    }
}
