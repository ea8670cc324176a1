#if PostgreSQL
    import Foundation
    import LeakStore
    import Testing
    import LeakPlatform

    @testable import LeakPostgreSQL

    /// Stops the server for all clients, so this suite must run alone, as in `make postgresql`.
    @Suite(.serialized, .enabled(if: DatabaseServer.mayBeStopped)) struct DatabaseFaultTests {
        /// Every batch is sent again until it is answered, as a reporter does: no batch is lost or counted twice.
        @Test func `if a database server stops and starts under load, no report is lost or counted twice`()
            throws
        {
            let schema = try DatabaseSchema()
            let progress = Progress()
            let collectors = 3
            for collector in 0..<collectors {
                let store = try PostgreSQLStore(address: schema.address, seed: 1, clock: .unguarded)
                // Uses separate threads, because the calls block: tasks would occupy all threads of the task pool.
                Thread.detachNewThread {
                    var sent = 0
                    while !progress.isOver {
                        let reports = (0..<5).map {
                            Report(leak: leak("L\($0)"), install: UInt64(collector << 20 | sent % 40))
                        }
                        let batch = submission(reports, key: "\(collector)-\(sent)")
                        while (try? store.count([batch], now: noon)) == nil {
                            guard !progress.isLate else { return progress.finish() }
                            usleep(20_000)
                        }
                        sent += 1
                        progress.count()
                    }
                    progress.finish()
                }
            }
            for _ in 0..<DatabaseServer.outages {
                // Stops the server at a random moment, after a few more batches have been answered.
                try progress.wait { $0 > $1 + Int.random(in: 5...30) }
                try DatabaseServer.stop(.immediate)
                usleep(UInt32.random(in: 0...200_000))
                try DatabaseServer.start()
            }
            try progress.wait { $0 > $1 + 20 }
            progress.end()
            while progress.finished < collectors, !progress.isLate { usleep(1_000) }
            #expect(progress.finished == collectors)
            let page = try PostgreSQLStore(address: schema.address, clock: .unguarded).makeReader().leaks(
                LeakQuery(), now: noon)
            #expect(page.leaks.map(\.reports) == [Int](repeating: progress.answered, count: 5))
            #expect(page.leaks.allSatisfy { $0.installs <= collectors * 40 })
        }

        /// A batch that was answered as counted is stored once. A batch that was answered as not counted is not stored.
        /// For every other batch the store answers that the outcome is uncertain.
        @Test(arguments: Outage.allCases)
        func `during an outage, the answers to batches without idempotency keys say what was stored`(
            outage: Outage
        ) throws {
            let schema = try DatabaseSchema(
                options: DatabaseSchema.commitDelay(milliseconds: 20))
            var address = schema.address
            // Shorter than some of the periods in which the server is frozen.
            address.timeouts = Timeouts(answer: .seconds(1), probe: .seconds(1))
            var limits = StoreLimits()
            limits.leaksPerApp = 1_000_000
            let (checker, isOver) = (AnswerChecker(), Guarded(false))
            let senders = try (0..<3).map { number in
                let store = try PostgreSQLStore(address: address, limits: limits, clock: .unguarded)
                return WorkerThread(name: "sender \(number)") {
                    var sent = 0
                    while !isOver.with({ $0 }) {
                        checker.send("\(number)-\(sent)", to: store)
                        sent += 1
                        usleep(5_000)
                    }
                }
            }
            let outcome = Result {
                for _ in 0..<DatabaseServer.outages {
                    let start = checker.countedCount
                    let enough = start + Int.random(in: 5...30)
                    for _ in 0..<60_000 where checker.countedCount < enough { usleep(1_000) }
                    try #require(checker.countedCount >= enough, "counting goes on within a minute")
                    usleep(UInt32.random(in: 0...30_000))
                    try outage.happen(to: schema)
                }
            }
            isOver.with { $0 = true }
            for sender in senders { sender.join() }
            try outcome.get()
            let result = try checker.checkResult(for: schema)
            print("\(DatabaseServer.outages) outages, \(outage): \(result)")
            #expect(
                result.isCorrect && result.answerCounts[.counted] ?? 0 > DatabaseServer.outages, "\(result)")
            #expect(try PostgreSQLStore(address: schema.address, clock: .unguarded).verify() == [])
        }

        /// Each collector repeats a failed step until it succeeds.
        @Test(arguments: SharedModelTests.seeds)
        func `collectors that repeat failed steps during outages give the totals of the model`(seed: UInt64)
            throws
        {
            let schema = try DatabaseSchema()
            var rounds = try SharedRounds(on: schema.address, seed: seed, maxAttempts: 3_000)
            let isOver = Guarded(false)
            let progress = rounds.progress
            let outages = WorkerThread(name: "outages") {
                while !isOver.with({ $0 }) {
                    // Waits until a few more steps have been completed, however slow the machine is.
                    let enough = progress.with { $0 } + .random(in: 1...12)
                    while progress.with({ $0 }) < enough, !isOver.with({ $0 }) { usleep(1_000) }
                    try? DatabaseServer.stop([.immediate, .fast].randomElement() ?? .fast)
                    usleep(UInt32.random(in: 0...100_000))
                    try? DatabaseServer.start()
                }
            }
            let played = Result { for round in 0..<5 { try rounds.play(round: round) } }
            isOver.with { $0 = true }
            outages.join()
            try played.get()
            #expect(try rounds.problems(expectsAllAnswers: false) == [], "seed \(seed)")
        }
    }

    /// A way in which a database server stops answering, and answers again later.
    enum Outage: String, CaseIterable, Sendable {
        case immediate, fast, terminated, frozen

        func happen(to schema: DatabaseSchema) throws {
            switch self {
            case .immediate, .fast:
                try DatabaseServer.stop(self == .fast ? .fast : .immediate)
                usleep(.random(in: 0...200_000))
                try DatabaseServer.start()
            case .terminated:
                _ = try schema.terminate(where: "true", by: PostgreSQLConnection(to: schema.server))
            case .frozen:
                try DatabaseServer.freeze()
                usleep(.random(in: 0...2_500_000))
                try DatabaseServer.thaw()
            }
        }
    }

    /// The PostgreSQL server of the tests, which a script stops and starts.
    enum DatabaseServer {
        private static var control: String? {
            unsafe getenv("COLLECTOR_TEST_DATABASE_SERVER").map { unsafe String(cString: $0) }
        }

        static var mayBeStopped: Bool { unsafe control != nil && getenv("DATABASE_OUTAGES") != nil }

        /// Number of outages.
        static var outages: Int {
            unsafe getenv("DATABASE_OUTAGES").flatMap { unsafe Int(String(cString: $0)) } ?? 5
        }

        enum StopMode: String {
            /// An immediate stop, as in a crash.
            case immediate
            /// Ends sessions after a commit in progress is completed.
            case fast
        }

        static func stop(_ mode: StopMode) throws { try run("stop \(mode.rawValue)") }
        static func start() throws { try run("start") }
        /// Freezes the server: it keeps its connections and does not answer.
        static func freeze() throws { try run("freeze") }
        static func thaw() throws { try run("thaw") }

        private static func run(_ word: String) throws {
            // Does not use `Process`, whose end is noticed only when its children, here the server, have ended too.
            let status = unsafe system("'\(control ?? "")' \(word)")
            #expect(status == 0, "server \(word)")
        }
    }

    /// The number of batches that were answered, and the number of collectors that have finished.
    private final class Progress: @unchecked Sendable {
        // `Sendable` is unchecked: `state` is accessed only while `lock` is locked.
        private let lock = NSLock()
        private var state = (answered: 0, finished: 0, isOver: false)
        /// The time at which the test is given up, late enough for any machine.
        private let deadline = ContinuousClock.now + .seconds(60 + 20 * DatabaseServer.outages)

        var answered: Int { lock.withLock { state.answered } }
        var finished: Int { lock.withLock { state.finished } }
        var isOver: Bool { lock.withLock { state.isOver } }
        func count() { lock.withLock { state.answered += 1 } }
        func finish() { lock.withLock { state.finished += 1 } }
        func end() { lock.withLock { state.isOver = true } }

        var isLate: Bool { ContinuousClock.now > deadline }

        /// Waits until `isEnough` is true for two numbers of answered batches: now, and when the wait began.
        func wait(until isEnough: (Int, Int) -> Bool) throws {
            let start = answered
            while !isEnough(answered, start) {
                try #require(!isLate, "batches are answered")
                usleep(1_000)
            }
        }
    }
#endif
