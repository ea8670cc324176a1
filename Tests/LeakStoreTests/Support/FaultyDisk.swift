import LeakSeededRandom
import CLeakSQLite
import LeakPlatform

/// A directory whose disk fails on demand: any operation of SQLite in this directory and process can fail.
///
/// Disk operations are numbered. A plan decides about the result of each operation, by its number and kind.
final class FaultyDisk: Sendable {
    enum Operation: Hashable, CaseIterable {
        case open, read, write, truncate, sync, size, lock, delete, access, map, lockMap
    }

    struct Event {
        /// Number of the operation, from 1.
        var number: Int
        var operation: Operation
        /// The file's name, without its directory.
        var file: String
    }

    enum Fault {
        case none
        /// The operation returns this code of SQLite, and has no effect.
        case fail(Int32)
        /// Half of the bytes are written before the failure.
        case failHalfway(Int32)
        /// The process is killed: no further operation has an effect, and written bytes stay.
        case kill
        /// The power fails: no further operation has an effect, and chance decides about changes that were not synced.
        case cutPower(SeededRandom)
    }

    typealias Plan = @Sendable (Event) -> Fault

    private struct State {
        var image = DiskImage()
        var plan: Plan = { _ in .none }
        var operationCount = 0
        /// The files after the kill or the power cut, by name; `nil` before that.
        var remains: [String: [UInt8]]?
        /// True after a kill or a power cut: every further operation fails.
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

    /// Replaces the plan, and numbers operations from 1 again.
    func follow(_ plan: @escaping Plan) {
        state.with {
            $0.plan = plan
            $0.operationCount = 0
        }
    }

    /// Number of disk operations under the current plan.
    var operationCount: Int { state.with { $0.operationCount } }

    /// True after a kill or a power cut.
    var isOff: Bool { state.with { $0.isOff } }

    /// Returns a new directory with the files that the next process finds: those after the kill or the power cut, or the
    /// present files if there was neither.
    func remains() -> TemporaryDirectory {
        let next = TemporaryDirectory(isInMemory: true)
        for (name, bytes) in state.with({ $0.remains }) ?? directory.files() { next.write(bytes, to: name) }
        return next
    }

    // MARK: For the VFS

    /// - Returns: the failure of the operation; `nil` if it succeeds. A disk that is off fails every operation.
    func fault(on operation: Operation, of file: String) -> (code: Int32, isHalfway: Bool)? {
        state.with { state -> (code: Int32, isHalfway: Bool)? in
            guard !state.isOff else { return (SQLITE_IOERR, false) }
            state.operationCount += 1
            switch state.plan(Event(number: state.operationCount, operation: operation, file: file)) {
            case .none: return nil
            case .fail(let code):
                if operation == .sync { state.image.failSync(file) }
                return (code, false)
            case .failHalfway(let code): return (code, true)
            case .kill: state.remains = directory.files()
            case .cutPower(var random): state.remains = state.image.filesAfterPowerCut(&random)
            }
            state.isOff = true
            return (SQLITE_IOERR, false)
        }
    }

    func record(_ change: (inout DiskImage) -> Void) {
        state.with { if !$0.isOff { change(&$0.image) } }
    }
}
