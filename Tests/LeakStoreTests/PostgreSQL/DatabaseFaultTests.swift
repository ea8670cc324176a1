#if PostgreSQL
    import Foundation
    import LeakStore
    import Testing
    import Threads

    @testable import PostgreSQLStore

    /// The server is taken away from everybody, so that this runs alone: `make postgresql` does.
    @Suite(.serialized, .enabled(if: DatabaseServer.mayBeStopped)) struct DatabaseFaultTests {
        /// Every batch comes again until it is answered, as from a reporter: none is lost, none counts twice.
        @Test func `a server that stops and starts under load loses and doubles nothing`() throws {
            let schema = try DatabaseSchema(in: try #require(DatabaseSchema.url))
            let progress = Progress()
            let collectors = 3
            for collector in 0..<collectors {
                let store = try PostgreSQLStore(address: schema.address, seed: 1)
                // Threads of their own: they block, and tasks would take all that there are for tasks.
                Thread.detachNewThread {
                    var sent = 0
                    while !progress.isOver {
                        let reports = (0..<5).map {
                            Report(leak: leak("L\($0)"), install: UInt64(collector << 20 | sent % 40))
                        }
                        let batch = submission(reports, key: "\(collector)-\(sent)")
                        while (try? store.count([batch], now: noon)) == nil { usleep(20_000) }
                        sent += 1
                        progress.count()
                    }
                    progress.finish()
                }
            }
            for _ in 0..<DatabaseServer.outages {
                // Somewhere in the middle of things, and only once there is something to be in the middle of.
                progress.wait { $0 > $1 + Int.random(in: 5...30) }
                try DatabaseServer.stop()
                usleep(UInt32.random(in: 0...200_000))
                try DatabaseServer.start()
            }
            progress.wait { $0 > $1 + 20 }
            progress.end()
            while progress.finished < collectors { usleep(1_000) }
            let page = try PostgreSQLStore(address: schema.address).makeReader().leaks(LeakQuery(), now: noon)
            #expect(page.leaks.map(\.reports) == [Int](repeating: progress.answered, count: 5))
            #expect(page.leaks.allSatisfy { $0.installs <= collectors * 40 })
        }

        /// Every step comes again until it is done.
        @Test(arguments: SharedModelTests.seeds)
        func `any interleaving with outages gives the totals of the model`(seed: UInt64) throws {
            let schema = try DatabaseSchema(in: try #require(DatabaseSchema.url))
            var rounds = try SharedRounds(on: schema.address, seed: seed, patience: 3_000)
            let isOver = Guarded(false)
            let progress = rounds.progress
            let outages = WorkerThread(name: "outages") {
                while !isOver.with({ $0 }) {
                    // Only once something was done again, however slow the machine is.
                    let enough = progress.with { $0 } + .random(in: 1...12)
                    while progress.with({ $0 }) < enough, !isOver.with({ $0 }) { usleep(1_000) }
                    try? DatabaseServer.stop()
                    usleep(UInt32.random(in: 0...100_000))
                    try? DatabaseServer.start()
                }
            }
            let played = Result { for round in 0..<5 { try rounds.play(round: round) } }
            isOver.with { $0 = true }
            outages.join()
            try played.get()
            #expect(try rounds.problems(isAnswered: false) == [], "seed \(seed)")
        }
    }

    /// The server beside which the tests run.
    enum DatabaseServer {
        private static var control: String? {
            unsafe getenv("COLLECTOR_TEST_DATABASE_SERVER").map { unsafe String(cString: $0) }
        }

        static var mayBeStopped: Bool { unsafe control != nil && getenv("DATABASE_OUTAGES") != nil }

        /// How often it is stopped.
        static var outages: Int {
            unsafe getenv("DATABASE_OUTAGES").flatMap { unsafe Int(String(cString: $0)) } ?? 5
        }

        static func stop() throws { try run("stop") }
        static func start() throws { try run("start") }

        private static func run(_ word: String) throws {
            // Not a `Process`, whose end is only seen when its children, here the server, have ended too.
            let status = unsafe system("'\(control ?? "")' \(word)")
            #expect(status == 0, "server \(word)")
        }
    }

    /// How many batches were answered.
    private final class Progress: @unchecked Sendable {
        // Unchecked: every access holds the lock.
        private let lock = NSLock()
        private var state = (answered: 0, finished: 0, isOver: false)

        var answered: Int { lock.withLock { state.answered } }
        var finished: Int { lock.withLock { state.finished } }
        var isOver: Bool { lock.withLock { state.isOver } }
        func count() { lock.withLock { state.answered += 1 } }
        func finish() { lock.withLock { state.finished += 1 } }
        func end() { lock.withLock { state.isOver = true } }

        /// Until a condition holds of how many are answered now, and were when the wait began.
        func wait(until isEnough: (Int, Int) -> Bool) {
            let start = answered
            while !isEnough(answered, start) { usleep(1_000) }
        }
    }
#endif
