/// A file with a line of at most 1024 bytes, which is kept between runs in the folder of the app.
struct StateFile: Hashable, Sendable {
    /// The absolute path of the folder.
    let folder: String
    let name: String

    private static let maxBytes = 1024
    private var path: String { folder + "/" + name }

    /// - Returns: the text, or `nil` if the file does not exist.
    func read() throws(FileFailure) -> String? {
        do throws(FileFailure) {
            let bytes = try FileDescriptor(path, .reading).readAll(limit: Self.maxBytes, path: path)
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// Replaces the text atomically.
    func write(_ text: String) throws(FileFailure) {
        try FileSystem.makeFolders(folder)
        for _ in 1..<Draft.maxAttempts {
            do throws(FileFailure) {
                return try replace(with: text)
            } catch {
                // Another process that was starting mistook the draft for a leftover and removed it.
                guard error.isMissing || error.isLocked else { throw error }
            }
        }
        try replace(with: text)
    }

    /// Empties the file without a draft. This works on a full disk too, as long as the disk can create files.
    func empty() throws(FileFailure) {
        try FileSystem.makeFolders(folder)
        let descriptor = try FileDescriptor(path, .appending)
        try descriptor.truncate(to: 0, path: path)
        try descriptor.sync(path: path)
    }

    func remove() throws(FileFailure) { try FileSystem.remove(path) }

    private func replace(with text: String) throws(FileFailure) {
        let draft = Draft.path(for: path)
        do throws(FileFailure) {
            let descriptor = try FileDescriptor(draft, .lockingOrCreating)
            try descriptor.lock(path: draft)
            if let failure = descriptor.write(Array(text.utf8), path: draft).failure { throw failure }
            try descriptor.sync(path: draft)
            try FileSystem.rename(draft, to: path)
        } catch {
            try? FileSystem.remove(draft)
            throw error
        }
    }
}
