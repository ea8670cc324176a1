/// A folder of one run of the app, below the one that all its runs share.
///
/// ```
/// …/LeakReporter/app-com.acme.shop/queue-1/     1 is the version of the format
///     run-0193…/                                of a process that runs
///         lock                                  held with flock(2) until it ends, however it ends
///         0193….segment
/// ```
/// Two processes never write the same file. What a run leaves when it ends is taken over by the next one that starts.
final class RunFolder: SegmentFolder {
    private let parent: String
    private let name: String
    /// Held from the first append on.
    private var lock: HeldLock?
    /// The file that was appended to last.
    private var file: OpenFile?
    /// Whose names a power cut may still take away, or bring back.
    private var unsyncedNames: Set<String> = []
    private var hasUnsyncedRemovals = false

    /// Segments are far smaller; something else in the place of one must not fill the memory.
    private static let fileBytes = 64 * 1024 * 1024

    /// To make the folder, while others that start at the same time clear away what is half made.
    private static let attempts = 20

    private final class HeldLock {
        let descriptor: FileDescriptor
        init(_ descriptor: consuming FileDescriptor) {
            self.descriptor = descriptor
            self.descriptor.closeInChildren()
        }
        deinit { descriptor.keepInChildren() }
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
    ///   - parent: absolute; made where it is missing, with the folders above it.
    ///   - name: of the run, different from any other.
    init(in parent: String, name: String = RandomText.hexadecimal128()) {
        self.parent = parent
        self.name = name
    }

    deinit {
        guard lock != nil, FileSystem.names(in: path) == ["lock"] else { return }
        try? FileSystem.remove(path + "/lock")
        FileSystem.removeFolder(path)
    }

    private var path: String { parent + "/run-" + name }
    private func path(of name: String) -> String { path + "/" + name }

    func append(_ bytes: [UInt8], to name: String) -> (written: Int, failure: FileFailure?) {
        do throws(FileFailure) {
            try open(name)
        } catch {
            guard error.isMissing else { return (0, error) }
            // Somebody has removed the folder, as a system does that clears caches, or another run that starts has
            // cleared away what was half made.
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
        try FileDescriptor(path(of: name), .reading).readAll(limit: Self.fileBytes, path: path(of: name))
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
        let runs = FileSystem.names(in: parent).filter {
            ($0.hasPrefix("run-") || $0.hasPrefix("new-")) && $0 != "run-" + name
        }
        for run in runs { adopt(run) }
        return FileSystem.names(in: path).filter { $0 != "lock" && !$0.hasSuffix(".draft") }
    }

    /// Takes the files of a run that has ended, if nobody else is about to.
    private func adopt(_ run: String) {
        let old = parent + "/" + run
        let lockPath = old + "/lock"
        do throws(FileFailure) {
            // A link in the place of the folder leads elsewhere.
            _ = try FileDescriptor(old, .folder)
            // Held until all is taken; freed with the function.
            let lock = try FileDescriptor(lockPath, run.hasPrefix("run-") ? .appending : .locking)
            try lock.lock(path: lockPath)
            let names = FileSystem.names(in: old).filter { $0 != "lock" }
            if !names.isEmpty { try prepare() }
            for name in names {
                // Names are random, so that no two runs have the same.
                if name.hasSuffix(".draft") {
                    try FileSystem.remove(old + "/" + name)
                } else {
                    try FileSystem.rename(old + "/" + name, to: path(of: name))
                }
            }
            try FileSystem.remove(lockPath)
        } catch {
            // Still in use, or about to be made or removed by another process: what is left is looked at another time.
            guard error.isMissing else { return }
        }
        FileSystem.removeFolder(old)
    }

    /// Makes the folder and takes its lock, before others can see it under a name that they would lock.
    private func prepare() throws(FileFailure) {
        guard lock == nil else { return }
        try OwnFolder.make(parent)
        let draft = parent + "/new-" + name
        for _ in 1..<Self.attempts {
            do throws(FileFailure) {
                return try make(draft)
            } catch {
                // Another run that starts has taken it for one that was left half made.
                guard error.isMissing || error.isTaken else { throw error }
            }
        }
        try make(draft)
    }

    private func make(_ draft: String) throws(FileFailure) {
        try FileSystem.makeFolder(draft)
        do throws(FileFailure) {
            // Made by opening it for appending, then opened again for the lock.
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
