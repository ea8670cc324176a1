import LeakSeededRandom

#if PostgreSQL
    import Glibc
    import LeakStore
    import Testing
    import LeakPlatform

    @testable import LeakPostgreSQL

    /// Rounds in which several collectors use one database at the same time, and the expected result.
    ///
    /// In a round, each collector receives its own batches, and some that other collectors receive too, as if reporters had
    /// sent unanswered batches again. Each collector also reopens its store, deletes expired data, and erases installs without
    /// reports in that round.
    struct SharedRounds {
        private static let collectors = 3
        private static let batchesPerRound = 14
        /// An action of one collector.
        private enum Step: Sendable {
            case count([Submission])
            case expire, reopen
            case erase(UInt64)
        }

        private let address: DatabaseAddress
        private let maxAttempts: Int
        /// Number of completed steps.
        let progress = Guarded(0)
        private var random: SeededRandom
        private var stores: [PostgreSQLStore] = []
        private var model = CountingModel()
        private var sent: [Submission] = []
        private var now = noon
        /// Number of times that each batch was counted, according to the answers.
        private var counted: [String: Int] = [:]

        /// - Parameter maxAttempts: maximum number of attempts for a failing step.
        init(on address: DatabaseAddress, seed: UInt64, maxAttempts: Int = 1) throws {
            self.address = address
            self.maxAttempts = maxAttempts
            random = SeededRandom(seed: seed)
            stores = try (0..<Self.collectors).map { _ in
                try PostgreSQLStore(address: address, seed: 7, clock: .unguarded)
            }
        }

        mutating func play(round: Int) throws {
            now += Int64.random(in: 0..<hour, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                // After eight days the stored idempotency keys are deleted, and no reporter sends its batches again.
                now += 8 * day
                sent = []
            }
            let parity = UInt64(round % 2)
            let new = (0..<Self.batchesPerRound).map { number in
                var batch = randomSubmission(&random, now: now)
                batch.idempotency = Submission.Idempotency(
                    key: "\(round)-\(number)", bodyHash: [UInt8](repeating: 1, count: 32))
                for index in batch.origins.indices {
                    batch.origins[index].installHash = batch.origins[index].installHash.map {
                        $0 & ~1 | parity
                    }
                }
                return batch
            }
            let scripts = scripts(new, erasing: 1 - parity)
            let (address, maxAttempts, time, stores) = (self.address, self.maxAttempts, now, self.stores)
            let progress = progress
            let played = try runTogether(Self.collectors) { number in
                try Self.play(
                    scripts[number], on: stores[number], address, maxAttempts, now: time, progress)
            }
            self.stores = played.map(\.store)
            for key in played.flatMap(\.counted) { counted[key, default: 0] += 1 }
            _ = model.count(new, now: now)
            for case .erase(let install) in scripts.joined() { model.erase(install) }
            sent += new
        }

        private mutating func scripts(_ new: [Submission], erasing parity: UInt64) -> [[Step]] {
            var queues = [[Submission]](repeating: [], count: Self.collectors)
            for batch in new {
                for number in queues.indices.shuffled(using: &random).prefix(
                    .random(in: 1...3, using: &random))
                {
                    queues[number].append(batch)
                }
            }
            return queues.map { queue in
                var queue = queue + sent.shuffled(using: &random).prefix(4)
                queue.shuffle(using: &random)
                var steps: [Step] = []
                while !queue.isEmpty {
                    let count = min(queue.count, .random(in: 1...5, using: &random))
                    steps.append(.count(Array(queue.prefix(count))))
                    queue.removeFirst(count)
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0: steps.append(.expire)
                    case 1: steps.append(.reopen)
                    case 2: steps.append(.erase(.random(in: 0..<30, using: &random) * 2 | parity))
                    default: break
                    }
                }
                return steps
            }
        }

        /// - Returns: the store in use at the end, and the keys of batches that were counted.
        private static func play(
            _ steps: [Step], on first: PostgreSQLStore, _ address: DatabaseAddress, _ maxAttempts: Int,
            now: Int64, _ progress: Guarded<Int>
        ) throws -> (store: PostgreSQLStore, counted: [String]) {
            var store = first
            var counted: [String] = []
            for step in steps {
                defer { progress.with { $0 += 1 } }
                switch step {
                case .count(var call):
                    while !call.isEmpty {
                        let receipts = try retry(maxAttempts) { try store.count(call, now: now) }
                        for (batch, receipt) in zip(call, receipts) where receipt == .counted {
                            counted.append(batch.idempotency?.key ?? "")
                        }
                        call.removeFirst(receipts.count)
                    }
                case .expire: try retry(maxAttempts) { _ = try store.expire(now: now) }
                case .reopen:
                    store = try retry(maxAttempts) {
                        try PostgreSQLStore(address: address, seed: 7, clock: .unguarded)
                    }
                case .erase(let install): _ = try retry(maxAttempts) { try store.erase(install: install) }
                }
            }
            return (store, counted)
        }

        private static func retry<Result>(_ maxAttempts: Int, _ body: () throws -> Result) throws -> Result {
            for _ in 1..<maxAttempts {
                do { return try body() } catch { usleep(20_000) }
            }
            return try body()
        }

        /// Returns the problems, one line each.
        ///
        /// - Parameter expectsAllAnswers: `true` if no answer can have been lost. Then each batch must have been answered as
        ///   counted once.
        func problems(expectsAllAnswers: Bool = true) throws -> [String] {
            var problems = counted.filter { $0.value > 1 }.map { "\($0.key) was counted \($0.value) times" }
            if expectsAllAnswers {
                problems += sent.compactMap { batch in
                    batch.idempotency.flatMap { counted[$0.key] == nil ? "\($0.key) was never counted" : nil }
                }
            }
            for store in stores {
                problems += try store.verify() + model.differences(from: store, now: now)
            }
            return problems
        }
    }
#endif
