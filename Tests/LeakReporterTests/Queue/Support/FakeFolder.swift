import LeakSeededRandom
@testable import LeakReporter

/// A disk in memory that can fail and lose power. It outlives the runs that write to it.
final class FakeDisk {
    enum Fault: Hashable {
        case none
        /// The call fails; of the bytes to write, `written` are written.
        case failure(Int32, written: Int)
        /// The process ends before, after or within the call. `written` is the number of bytes written before that.
        case deathBefore
        case deathAfter
        case deathWithin(written: Int)
    }

    /// The files as a process sees them.
    var files: [String: [UInt8]] = [:]
    /// Names of files that exist but cannot be read.
    var unreadable: Set<String> = []
    /// The files after a power cut in the worst case.
    private var safe: [String: [UInt8]] = [:]
    /// The number of calls so far that change something.
    private(set) var calls = 0
    /// Returns the fault of a call, given the kind and the number of the call. Numbers begin at 1.
    var fault: (_ call: Int, _ kind: String) -> Fault = { _, _ in .none }

    fileprivate func next(_ kind: String) -> Fault {
        calls += 1
        return fault(calls, kind)
    }

    fileprivate func sync(_ name: String) {
        safe[name] = files[name]
        // The folder is synced with the file, so removed names are removed durably.
        for other in safe.keys where files[other] == nil { safe[other] = nil }
    }

    /// Cuts the power: all changes that were not synced are lost.
    func cutPower() { files = safe }

    /// Cuts the power: any part of the changes that were not synced is lost, in any combination.
    func cutPower(using random: inout SeededRandom) {
        var left: [String: [UInt8]] = [:]
        for name in Set(files.keys).union(safe.keys).sorted() {
            let synced = safe[name]
            if let bytes = files[name], Bool.random(using: &random) {
                let kept = min(synced?.count ?? 0, bytes.count)
                left[name] = Array(bytes.prefix(Int.random(in: kept...bytes.count, using: &random)))
            } else {
                left[name] = synced
            }
        }
        files = left
        safe = left
    }
}

/// The disk as one run sees it. Once the run is dead, its calls have no effect.
final class FakeFolder: SegmentFolder {
    private let disk: FakeDisk
    private(set) var isDead = false

    init(_ disk: FakeDisk) { self.disk = disk }

    func kill() { isDead = true }

    func append(_ bytes: [UInt8], to name: String) -> (writtenBytes: Int, failure: FileFailure?) {
        guard !isDead else { return (bytes.count, nil) }
        let written: Int
        var failure: FileFailure?
        switch disk.next("append") {
        case .none: written = bytes.count
        case .failure(let code, let count):
            written = min(count, bytes.count)
            failure = FileFailure(call: "write", code: code, path: name)
        case .deathBefore:
            isDead = true
            return (0, nil)
        case .deathAfter:
            written = bytes.count
            isDead = true
        case .deathWithin(let count):
            written = min(count, bytes.count)
            isDead = true
        }
        disk.files[name, default: []] += bytes.prefix(written)
        return (written, failure)
    }

    func sync(_ name: String) throws(FileFailure) {
        try change("sync", name) { $0.sync(name) }
    }

    func read(_ name: String) throws(FileFailure) -> [UInt8] {
        guard !disk.unreadable.contains(name) else { throw FileFailure(call: "read", code: 5, path: name) }
        guard let bytes = disk.files[name] else { throw FileFailure(call: "open", code: 2, path: name) }
        return bytes
    }

    func truncate(_ name: String, to length: Int) throws(FileFailure) {
        try change("truncate", name) { $0.files[name] = $0.files[name].map { Array($0.prefix(length)) } }
    }

    func remove(_ name: String) throws(FileFailure) {
        try change("remove", name) { $0.files[name] = nil }
    }

    func replace(_ name: String, with bytes: [UInt8]) throws(FileFailure) {
        try change("replace", name) { $0.files[name] = bytes }
    }

    func adopt() -> [String] { disk.files.keys.sorted() }

    func removeForeignFiles(_ choose: ([ForeignFile]) -> [ForeignFile]) -> [[UInt8]] { [] }

    private func change(_ kind: String, _ name: String, _ body: (FakeDisk) -> Void) throws(FileFailure) {
        guard !isDead else { return }
        switch disk.next(kind) {
        case .none: body(disk)
        case .failure(let code, _): throw FileFailure(call: kind, code: code, path: name)
        case .deathBefore, .deathWithin: isDead = true
        case .deathAfter:
            body(disk)
            isDead = true
        }
    }
}
