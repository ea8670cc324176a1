import LeakSeededRandom
import CLeakSQLite
import LeakPlatform

/// A directory whose disk fails on demand, for whatever SQLite does in it, in this process.
///
/// What is asked of the disk is numbered; a plan decides by number and kind what becomes of each.
final class FaultyDisk: Sendable {
    enum Operation: Hashable, CaseIterable {
        case open, read, write, truncate, sync, size, lock, delete, access, map, lockMap
    }

    struct Event {
        /// From 1.
        var number: Int
        var operation: Operation
        /// The file's name, without its directory.
        var file: String
    }

    enum Fault {
        case none
        /// Answered with a code of SQLite, and not done.
        case fail(Int32)
        /// Half of the bytes are written before the failure.
        case failHalfway(Int32)
        /// The process is killed: nothing is done from here on, and what was written stays.
        case kill
        /// The power goes: nothing is done from here on, and what was not synced is left to chance.
        case cutPower(SeededRandom)
    }

    typealias Plan = @Sendable (Event) -> Fault

    private struct State {
        var image = DiskImage()
        var plan: Plan = { _ in .none }
        var count = 0
        var remains: [String: [UInt8]]?
        var isOff = false
    }

    let directory: TemporaryDirectory
    private let state = Guarded(State())

    init(in directory: TemporaryDirectory, ignoresSync: Bool = false) {
        self.directory = directory
        state.with { $0.image.ignoresSync = ignoresSync }
        FaultVFS.register(self)
    }

    deinit { FaultVFS.forget(directory.path) }

    /// Starts to count again, at 1.
    func follow(_ plan: @escaping Plan) {
        state.with {
            $0.plan = plan
            $0.count = 0
        }
    }

    /// How much was asked of the disk under the current plan.
    var count: Int { state.with { $0.count } }

    var isOff: Bool { state.with { $0.isOff } }

    /// What the next process finds, in a directory of its own: as of the kill or the cut, or else as of now.
    func remains() -> TemporaryDirectory {
        let next = TemporaryDirectory(isInMemory: true)
        for (name, bytes) in state.with({ $0.remains }) ?? directory.files() { next.write(bytes, to: name) }
        return next
    }

    // MARK: For the VFS

    /// - Returns: what becomes of it; a disk that is off fails everything.
    func verdict(on operation: Operation, of file: String) -> (code: Int32, isHalfway: Bool)? {
        state.with { state -> (code: Int32, isHalfway: Bool)? in
            guard !state.isOff else { return (SQLITE_IOERR, false) }
            state.count += 1
            switch state.plan(Event(number: state.count, operation: operation, file: file)) {
            case .none: return nil
            case .fail(let code):
                if operation == .sync { state.image.failSync(file) }
                return (code, false)
            case .failHalfway(let code): return (code, true)
            case .kill: state.remains = directory.files()
            case .cutPower(var random): state.remains = state.image.afterPowerCut(&random)
            }
            state.isOff = true
            return (SQLITE_IOERR, false)
        }
    }

    func note(_ change: (inout DiskImage) -> Void) {
        state.with { if !$0.isOff { change(&$0.image) } }
    }
}
