import LeakSeededRandom
@testable import LeakStore

/// The actions of a program on a store, generated from a seed, so that each run is the same.
struct StoreScript: Sendable {
    enum Step: Sendable {
        case count([Submission])
        /// Empties the write-ahead log if it is long.
        case checkpointIfNeeded
        case expire
        case checkpoint
        case reopen
        /// Adds a sign-in link with this hash.
        case add([UInt8])
        /// Uses the sign-in link with this hash.
        case use([UInt8])
    }

    let steps: [(step: Step, now: Int64)]

    init(seed: UInt64, length: Int) {
        var random = SeededRandom(seed: seed)
        var now = noon
        var sent: [Submission] = []
        var secrets: [[UInt8]] = []
        steps = (0..<length).map { number in
            now += Int64.random(in: 0..<hour, using: &random)
            switch Int.random(in: 0..<16, using: &random) {
            case 0: return (.checkpointIfNeeded, now)
            case 1: return (.checkpoint, now)
            case 2: return (.reopen, now)
            case 3:
                // Sometimes enough time passes for idempotency keys to expire; otherwise repeats still need them.
                if Bool.random(using: &random) { now += 8 * day }
                return (.expire, now)
            case 4:
                secrets.append([UInt8](repeating: UInt8(number), count: 32))
                return (.add(secrets[secrets.count - 1]), now)
            case 5 where !secrets.isEmpty:
                return (.use(secrets.randomElement(using: &random) ?? []), now)
            default:
                var call: [Submission] = []
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let again =
                        Int.random(in: 0..<4, using: &random) == 0 ? sent.randomElement(using: &random) : nil
                    call.append(again ?? randomSubmission(&random, now: now))
                }
                sent += call
                return (.count(call), now)
            }
        }
    }
}

/// Plays a script on a store and on the model, and compares them.
struct StorePlay {
    /// Everything that the store has acknowledged.
    private(set) var model = CountingModel()
    /// The step that was started and not answered. Its changes are on disk completely or not at all.
    private(set) var uncertain: (step: StoreScript.Step, now: Int64)?
    private(set) var now = noon
    private var store: SQLiteStore?
    private var directory: TemporaryDirectory
    /// Answers of the store that differ from the model.
    private(set) var wrongAnswers: [String] = []
    private let settings: [String]

    /// - Parameter settings: pragmas for the connection that writes.
    init(in directory: TemporaryDirectory, settings: [String] = []) {
        self.directory = directory
        self.settings = settings
    }

    /// Opens the store if it is not open.
    private mutating func opened() throws(StoreError) -> SQLiteStore {
        if let store {
            // Runs the integrity check if one is due, as a server does.
            store.integrityCheck?()
            return store
        }
        let store = try SQLiteStore(path: directory.database, exclusive: false, seed: 7, clock: .unguarded)
        for setting in settings { try store.set(setting) }
        // Low limits, so that a short script reaches everything that a long run reaches.
        try store.set("wal_autocheckpoint = 24")
        try store.setBusyTimeout(milliseconds: 20)
        store.damageMonitor.limitUnconfirmedSigns(to: .max)
        store.limitWriteAheadLog(toBytes: 0)
        store.limitPendingLogs(toInstallSets: 12)
        self.store = store
        return store
    }

    /// Plays one step. If the step fails, the store must not have counted anything, unless the process ended during the step.
    mutating func play(_ step: StoreScript.Step, now: Int64) throws(StoreError) {
        self.now = now
        uncertain = (step, now)
        let store = try opened()
        switch step {
        case .count(let call):
            let receipts = try store.count(call, now: now)
            let expected = model.count(call, now: now)
            if receipts != expected { wrongAnswers.append("receipts: \(receipts), not \(expected)") }
        case .checkpointIfNeeded: try store.checkpointIfNeeded(now: now)
        case .expire: try store.expire(now: now)
        case .checkpoint: _ = try store.checkpoint()
        case .reopen:
            close()
            _ = try opened()
        case .add(let hash):
            _ = try store.add(Self.link(hash))
            model.add(hash)
        case .use(let hash):
            let isUsed = try store.useOnce(hash: hash, now: now)
            if isUsed != model.use(hash) { wrongAnswers.append("a link works twice, or never") }
        }
        uncertain = nil
    }

    /// Opens the files that an ended process left. Checks that acknowledged steps are stored exactly once, and that the
    /// unanswered step was executed completely or not at all.
    ///
    /// - Returns: the problems, one line each.
    mutating func resume(in directory: TemporaryDirectory) throws -> [String] {
        close()
        self.directory = directory
        let store = try opened()
        var problems = try wrongAnswers + store.verify()
        let missing = try model.differences(from: store, now: now)
        guard !missing.isEmpty else { return problems }
        var further = model
        switch uncertain?.step {
        case .count(let call): _ = further.count(call, now: now)
        case .add(let hash): further.add(hash)
        case .use(let hash): _ = further.use(hash)
        default: break
        }
        if try further.differences(from: store, now: now).isEmpty {
            model = further
            if case .add = uncertain?.step { uncertain = nil }
            if case .use = uncertain?.step { uncertain = nil }
        } else {
            problems += missing
        }
        return problems
    }

    /// Compares the store with the model.
    mutating func problems() throws -> [String] {
        let store = try opened()
        return try wrongAnswers + store.verify() + model.differences(from: store, now: now)
    }

    mutating func close() { store = nil }

    static func link(_ hash: [UInt8]) -> Credential {
        Credential(purpose: .signIn, name: "link", hash: hash, createdAt: noon)
    }
}
