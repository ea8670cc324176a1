internal import Foundation
import LeakMessage

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A file that stores the random identifier of one installation of an app.
struct InstallFile: Hashable, Sendable {
    /// The absolute path of the folder.
    let folder: String

    private var path: String { folder + "/install" }

    /// The number of digits of an identifier: 128 random bits are 32 hexadecimal digits, like an `Idempotency-Key`.
    static let digitCount = 32

    /// Returns the stored identifier, or creates and stores a new identifier.
    ///
    /// If two processes call this at the same time for the first time, they get the same identifier. If nothing can be stored, each
    /// call returns a new identifier. Accesses the disk.
    func identifier() -> String {
        if let storedIdentifier { return storedIdentifier }
        let newIdentifier = RandomText.hexadecimal128()
        try? PrivateFolder.make(folder)
        for _ in 0..<Draft.maxAttempts {
            do throws(FileFailure) {
                return try store(newIdentifier)
            } catch {
                // Another process that was starting mistook the draft for a leftover and removed it.
                guard error.isMissing || error.isLocked else { break }
            }
        }
        return newIdentifier
    }

    /// Stores an identifier, unless another process has stored an identifier meanwhile.
    ///
    /// - Returns: the identifier in the file; the new identifier if the file cannot be read.
    private func store(_ newIdentifier: String) throws(FileFailure) -> String {
        let draft = Draft.path(for: path)
        defer { unsafe unlink(draft) }
        let descriptor = try FileDescriptor(draft, .lockingOrCreating)
        try descriptor.lock(path: draft)
        if let failure = descriptor.write(Array(newIdentifier.utf8), path: draft).failure { throw failure }
        // `link` fails if another process was faster; the identifier of that process counts then.
        if unsafe link(draft, path) != 0 {
            if let storedIdentifier { return storedIdentifier }
            // The existing file has no identifier, or the file system has no hard links. A file that may not be read stays.
            guard unsafe access(path, R_OK) == 0 || errno == ENOENT else { return newIdentifier }
            try FileSystem.rename(draft, to: path)
        }
        return newIdentifier
    }

    /// Deletes the identifier. The next identifier is new, and cannot be linked to the old identifier.
    func forget() { unsafe unlink(path) }

    /// The stored identifier; `nil` if the file cannot be read, or contains something else.
    private var storedIdentifier: String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.digitCount + 1)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        let hexadecimal = Set("0123456789abcdef".utf8)
        guard count == Self.digitCount, bytes.prefix(count).allSatisfy(hexadecimal.contains) else {
            return nil
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

extension InstallFile {
    /// Returns the file for an app of this user: one folder per app, because apps share the parent folder on some systems.
    static func fileOfThisUser(_ app: AppInfo) -> InstallFile {
        InstallFile(
            folder: stateFolder(ProcessInfo.processInfo.environment, home: NSHomeDirectory())
                + "/LeakReporter/"
                + folderName(for: app))
    }

    /// Returns the folder for the state of all programs of a user.
    ///
    /// - Parameters:
    ///   - environment: the environment variables. `XDG_STATE_HOME` is used if it is an absolute path.
    ///     https://specifications.freedesktop.org/basedir-spec/latest/
    ///   - home: the absolute path of the user's home folder, which is used otherwise.
    static func stateFolder(_ environment: [String: String], home: String) -> String {
        #if canImport(Darwin)
            // On tvOS an app may write only to folders that the system may empty. It empties the caches folder last.
            #if os(tvOS)
                let directory = FileManager.SearchPathDirectory.cachesDirectory
            #else
                let directory = FileManager.SearchPathDirectory.applicationSupportDirectory
            #endif
            return FileManager.default.urls(for: directory, in: .userDomainMask).first?.path ?? home
        #else
            if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") { return folder }
            return home + "/.local/state"
        #endif
    }

    /// Returns a valid path element for any name of an app.
    static func folderName(for app: AppInfo) -> String {
        let name = app.id ?? app.module ?? ""
        let safeCharacters = name.utf8.prefix(128).map { byte -> Character in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            return isPlain ? Character(Unicode.Scalar(byte)) : "_"
        }
        // The name is never `.`, `..`, hidden or empty.
        return "app-" + String(safeCharacters)
    }
}
