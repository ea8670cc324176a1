/// A temporary file that is written and then replaces another file. Its name is the name of that file, a dot, and 32 random
/// hexadecimal digits.
///
/// Its writer holds a lock on it. A draft without a lock was left behind by a process that was killed.
enum Draft {
    /// The maximum number of attempts to write a draft. An attempt can fail because another process that starts removes leftover
    /// drafts.
    static let maxAttempts = 4
    private static let digitCount = 32

    static func path(for file: String) -> String { file + "." + RandomText.hexadecimal128() }

    /// Removes drafts of the files `names` that were left behind by other processes.
    static func removeLeftovers(of names: [String], in folder: String) {
        for draft in FileSystem.names(in: folder) where names.contains(where: { isDraft(draft, of: $0) }) {
            let path = folder + "/" + draft
            guard let descriptor = try? FileDescriptor(path, .locking) else { continue }
            guard (try? descriptor.lock(path: path)) != nil else { continue }
            try? FileSystem.remove(path)
        }
    }

    private static func isDraft(_ name: String, of file: String) -> Bool {
        guard name.hasPrefix(file + ".") else { return false }
        let digits = name.utf8.dropFirst(file.utf8.count + 1)
        let hexadecimal = Set("0123456789abcdef".utf8)
        return digits.count == digitCount && digits.allSatisfy(hexadecimal.contains)
    }
}
