internal import LeakStore
internal import Threads

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What happens by the clock: new credentials are learnt, old rows expire, the free disk is watched.
final class Housekeeping: Sendable {
    /// Below this much free disk nothing is taken: a transaction, its log and the answer must still fit.
    static let leastFreeBytes: UInt64 = 64 * 1024 * 1024
    /// How soon a key made or revoked by the command line is known to the server.
    static let pulse: Duration = .seconds(1)
    static let pulsesBetweenExpiries = 3600

    private let store: any Store
    private let gate: Gate
    private let dataFolder: String
    private let log: Log
    private let now: @Sendable () -> Int64
    private let state = Guarded(State())

    private struct State {
        var isStopping = false
        var isDiskNearlyFull = false
    }

    init(store: any Store, gate: Gate, dataFolder: String, log: Log, now: @escaping @Sendable () -> Int64) {
        self.store = store
        self.gate = gate
        self.dataFolder = dataFolder
        self.log = log
        self.now = now
    }

    var isDiskNearlyFull: Bool { state.with { $0.isDiskNearlyFull } }

    func start() throws(StoreError) -> WorkerThread {
        // Made here, used on the thread alone.
        nonisolated(unsafe) let reader = try store.makeReader()
        return WorkerThread(name: "housekeeping") { [self] in
            var pulses = 0
            var counter: Int64?
            repeat {
                watchDisk()
                counter = unsafe learn(reader, since: counter)
                if pulses % Self.pulsesBetweenExpiries == 0 { expire() }
                pulses += 1
            } while !sleep()
        }
    }

    func stop() {
        state.with { $0.isStopping = true }
        state.wakeAll()
    }

    /// - Returns: whether it is time to stop.
    private func sleep() -> Bool {
        state.wait(timeout: Self.pulse) { $0.isStopping ? true : nil } ?? false
    }

    private func expire() {
        do {
            try store.expire(now: now())
        } catch {
            log.warning("old rows stay a while longer: \(error)")
        }
    }

    /// Reads the credentials again when another connection, this process's writer or the command line, has committed.
    private func learn(_ reader: any StoreReader, since former: Int64?) -> Int64? {
        do {
            let counter = try reader.changeCounter()
            guard counter != former else { return counter }
            let edits = gate.edits
            return gate.replace(try reader.credentials(all: true, now: now()), since: edits)
                ? counter : former
        } catch {
            log.warning("new keys are not known yet: \(error)")
            return former
        }
    }

    private func watchDisk() {
        var disk = statvfs()
        guard unsafe statvfs(dataFolder, &disk) == 0 else { return }
        // Some network file systems say they have more than can be counted.
        let (product, isHuge) = UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
        let free = isHuge ? .max : product
        let isNearlyFull = free < Self.leastFreeBytes
        let changed = state.with { state in
            defer { state.isDiskNearlyFull = isNearlyFull }
            return state.isDiskNearlyFull != isNearlyFull
        }
        guard changed else { return }
        if isNearlyFull {
            log.error(
                "only \(free >> 20) MiB free under \(dataFolder): reports are refused until there are "
                    + "\(Self.leastFreeBytes >> 20)")
        } else {
            log.info("enough free disk again: reports are taken")
        }
    }
}
