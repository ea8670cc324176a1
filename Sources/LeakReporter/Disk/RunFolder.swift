/// The folder of one run of the app, inside the folder that all its runs share.
///
/// ```
/// …/LeakReporter/app-com.acme.shop/queue-1/     1 is the version of the format
///     to-5f2c…/                                 the queue of one endpoint, key and app
///         run-0193…/                            the folder of a running process
///             lock                              held with flock(2) until it ends, however it ends
///             0193….segment
/// ```
/// Two processes never write the same file. Files that a run leaves behind are adopted by the next run of the same queue.
/// Earlier versions of this library had no queues, and created their runs directly below `queue-1`. The first queue that starts
/// adopts those runs.
final class RunFolder: SegmentFolder {
    private let parent: String
    /// The folder of all queues; `nil` if there is only one queue.
    private let root: String?
    private let name: String
    private static let queuePrefix = "to-"
    /// The lock of the run's folder; `nil` until the first append or adoption creates the folder.
    private var lock: HeldLock?
    /// The file of the last append.
    private var file: OpenFile?
    /// Files whose directory entries are not synced: a power cut could remove these files.
    private var unsyncedNames: Set<String> = []
    /// `true` if a power cut could restore a file that was removed.
    private var hasUnsyncedRemovals = false

    /// The maximum number of bytes read from a file, 64 MiB. Segments are far smaller; another file with the name of a segment must
    /// not fill the memory.
    private static let maxFileBytes = 64 * 1024 * 1024

    /// The maximum number of attempts to create the folder. An attempt can fail because another run that starts at the same time
    /// removes incomplete folders.
    private static let maxAttempts = 20

    private final class HeldLock {
        let descriptor: FileDescriptor
        init(_ descriptor: consuming FileDescriptor) {
            self.descriptor = descriptor
        }
    }

    private final class OpenFile {
        let name: String
        let descriptor: FileDescriptor
        init(_ name: String, _ descriptor: consuming FileDescriptor) {
            self.name = name
            self.descriptor = descriptor
        }
    }

    /// - Parameters:
    ///   - parent: an absolute path; it is created if necessary, with the folders above it.
    ///   - name: the name of the run, different from any other.
    init(in parent: String, name: String = RandomText.hexadecimal128()) {
        self.parent = parent
        root = nil
        self.name = name
    }

    /// - Parameters:
    ///   - queue: the name of the queue, one path element.
    ///   - root: the absolute path of the folder of all queues.
    init(ofQueue queue: String, in root: String, name: String = RandomText.hexadecimal128()) {
        parent = root + "/" + Self.queuePrefix + queue
        self.root = root
        self.name = name
    }

    deinit {
        guard lock != nil, FileSystem.names(in: path) == ["lock"] else { return }
        try? FileSystem.remove(path + "/lock")
        FileSystem.removeFolder(path)
        if root != nil { FileSystem.removeFolder(parent) }
    }

    private var path: String { parent + "/run-" + name }
    private func path(of name: String) -> String { path + "/" + name }

    func append(_ bytes: [UInt8], to name: String) -> (writtenBytes: Int, failure: FileFailure?) {
        do throws(FileFailure) {
            try open(name)
        } catch {
            guard error.isMissing else { return (0, error) }
            // The folder was removed: by a system that clears caches, or by another run that started and removed incomplete
            // folders.
            lock = nil
            do throws(FileFailure) { try open(name) } catch { return (0, error) }
        }
        return file?.descriptor.write(bytes, path: path(of: name)) ?? (0, nil)
    }

    private func open(_ name: String) throws(FileFailure) {
        try prepare()
        guard file?.name != name else { return }
        file = nil
        file = OpenFile(name, try FileDescriptor(path(of: name), .appending))
        unsyncedNames.insert(name)
    }

    func sync(_ name: String) throws(FileFailure) {
        if let file, file.name == name {
            try file.descriptor.sync(path: path(of: name))
        } else {
            try FileDescriptor(path(of: name), .reading).sync(path: path(of: name))
        }
        guard hasUnsyncedRemovals || unsyncedNames.contains(name) else { return }
        try FileSystem.syncFolder(path)
        unsyncedNames.removeAll()
        hasUnsyncedRemovals = false
    }

    func read(_ name: String) throws(FileFailure) -> [UInt8] {
        try FileDescriptor(path(of: name), .reading).readAll(
            limit: Self.maxFileBytes, path: path(of: name))
    }

    func truncate(_ name: String, to length: Int) throws(FileFailure) {
        try FileDescriptor(path(of: name), .locking).truncate(to: length, path: path(of: name))
    }

    func remove(_ name: String) throws(FileFailure) {
        if file?.name == name { file = nil }
        unsyncedNames.remove(name)
        try FileSystem.remove(path(of: name))
        hasUnsyncedRemovals = true
    }

    func replace(_ name: String, with bytes: [UInt8]) throws(FileFailure) {
        let draft = name + ".draft"
        try remove(draft)
        if let failure = append(bytes, to: draft).failure { throw failure }
        file = nil
        try FileSystem.rename(path(of: draft), to: path(of: name))
    }

    func adopt() -> [String] {
        if (try? requireQueueFolder()) != nil {
            for run in Self.runs(in: parent) where run != path { adopt(run) }
        }
        for run in root.map(Self.runs) ?? [] { adopt(run) }
        return FileSystem.names(in: path).filter { $0 != "lock" && !$0.hasSuffix(".draft") }
    }

    private static func runs(in folder: String) -> [String] {
        FileSystem.names(in: folder).filter { $0.hasPrefix("run-") || $0.hasPrefix("new-") }.map {
            folder + "/" + $0
        }
    }

    /// Adopts the files of a run that has ended, unless another process is doing so.
    private func adopt(_ run: String) {
        Self.withEndedRun(run) { names throws(FileFailure) in
            guard !names.isEmpty else { return }
            try prepare()
            // The ended run may have removed files without a sync, and the renames are unsynced as well.
            hasUnsyncedRemovals = true
            for name in names {
                // Names are random, so two runs never have a file with the same name.
                if name.hasSuffix(".draft") {
                    try FileSystem.remove(run + "/" + name)
                } else {
                    try FileSystem.rename(run + "/" + name, to: path(of: name))
                }
            }
        }
    }

    func removeForeignFiles(_ choose: ([ForeignFile]) -> [ForeignFile]) -> [[UInt8]] {
        guard let root else { return [] }
        let queues = FileSystem.names(in: root).filter { $0.hasPrefix(Self.queuePrefix) }.map {
            root + "/" + $0
        }
        let otherQueues = queues.filter { $0 != parent && (try? FileDescriptor($0, .folder)) != nil }
        var files: [ForeignFile] = []
        for run in otherQueues.flatMap(Self.runs) {
            Self.withEndedRun(run) { names throws(FileFailure) in
                for name in names {
                    let bytes = (try? FileDescriptor(run + "/" + name, .reading))?.size() ?? 0
                    files.append(ForeignFile(folder: run, name: name, sizeBytes: bytes))
                }
            }
        }
        var segments: [[UInt8]] = []
        for (run, chosen) in Dictionary(grouping: choose(files), by: \.folder) {
            Self.withEndedRun(run) { names throws(FileFailure) in
                for name in Set(names).intersection(chosen.map(\.name)).sorted() {
                    let path = run + "/" + name
                    let bytes = try? FileDescriptor(path, .reading).readAll(
                        limit: Self.maxFileBytes, path: path)
                    try FileSystem.remove(path)
                    if name.hasSuffix(Segment.fileEnding), let bytes { segments.append(bytes) }
                }
            }
        }
        // Empty folders are removed.
        for queue in otherQueues { FileSystem.removeFolder(queue) }
        return segments
    }

    /// Calls `work` with the files of a run that has ended, while holding its lock, and removes the folder if no file is left.
    private static func withEndedRun(_ run: String, _ work: (_ names: [String]) throws(FileFailure) -> Void) {
        let lockPath = run + "/lock"
        do throws(FileFailure) {
            // A symbolic link instead of the folder would lead to other files.
            _ = try FileDescriptor(run, .folder)
            // The lock is held until the work is done, and released when the function returns.
            let isComplete = run.split(separator: "/").last?.hasPrefix("run-") == true
            let lock = try FileDescriptor(lockPath, isComplete ? .lockingOrCreating : .locking)
            try lock.lock(path: lockPath)
            try work(FileSystem.names(in: run).filter { $0 != "lock" })
            guard FileSystem.names(in: run) == ["lock"] else { return }
            try FileSystem.remove(lockPath)
        } catch {
            // The folder is in use, or another process is creating or removing it. Its files are handled at a later start.
            guard error.isMissing else { return }
        }
        FileSystem.removeFolder(run)
    }

    /// Throws if the queue is not a folder. A symbolic link instead of the folder would lead to the queue of another key.
    private func requireQueueFolder() throws(FileFailure) {
        if root != nil { _ = try FileDescriptor(parent, .folder) }
    }

    /// Creates the folder under a temporary name, takes its lock, and then renames it, so that no folder of a run is without a
    /// lock.
    private func prepare() throws(FileFailure) {
        guard lock == nil else { return }
        let draft = parent + "/new-" + name
        for _ in 1..<Self.maxAttempts {
            try PrivateFolder.make(parent)
            try requireQueueFolder()
            do throws(FileFailure) {
                return try make(draft)
            } catch {
                // Another run that was starting mistook the draft for an incomplete folder, or removed the parent folder while
                // it was empty.
                guard error.isMissing || error.isLocked else { throw error }
            }
        }
        try make(draft)
    }

    private func make(_ draft: String) throws(FileFailure) {
        try FileSystem.makeFolder(draft)
        do throws(FileFailure) {
            // The file is created by opening it for appending, then opened again for the lock.
            _ = try FileDescriptor(draft + "/lock", .appending)
            let descriptor = try FileDescriptor(draft + "/lock", .locking)
            try descriptor.lock(path: draft + "/lock")
            try FileSystem.rename(draft, to: path)
            lock = HeldLock(descriptor)
        } catch {
            try? FileSystem.remove(draft + "/lock")
            FileSystem.removeFolder(draft)
            throw error
        }
    }
}
