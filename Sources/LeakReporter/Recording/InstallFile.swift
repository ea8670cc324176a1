internal import Foundation
import LeakMessage

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A file that keeps the random identifier of one installation of an app.
struct InstallFile: Hashable, Sendable {
    /// Absolute.
    let folder: String

    private var path: String { folder + "/install" }

    /// 128 random bits as 32 hexadecimal digits, like an `Idempotency-Key`.
    static let digitsCount = 32

    /// The identifier that is kept, or a new one, which is kept from now on.
    ///
    /// Two processes that ask for the first time together get the same one. Where nothing can be kept it is new with
    /// each call. Touches the disk.
    func identifier() -> String {
        if let kept { return kept }
        let fresh = RandomText.hexadecimal128()
        try? OwnFolder.make(folder)
        for _ in 0..<Draft.attempts {
            do throws(FileFailure) {
                return try keep(fresh)
            } catch {
                // Another process that starts has taken the draft for one that was left.
                guard error.isMissing || error.isTaken else { break }
            }
        }
        return fresh
    }

    /// - Returns: the identifier that is kept from now on.
    private func keep(_ fresh: String) throws(FileFailure) -> String {
        let draft = Draft.path(for: path)
        defer { unsafe unlink(draft) }
        let descriptor = try FileDescriptor(draft, .lockingOrMaking)
        try descriptor.lock(path: draft)
        if let failure = descriptor.write(Array(fresh.utf8), path: draft).failure { throw failure }
        // Fails where another process was faster, whose identifier then counts.
        if unsafe link(draft, path) != 0 {
            if let kept { return kept }
            // What is there is no identifier, or the file system has no links. One that may not be read stays.
            guard unsafe access(path, R_OK) == 0 || errno == ENOENT else { return fresh }
            try FileSystem.rename(draft, to: path)
        }
        return fresh
    }

    /// The next identifier is a new one: who had this one is not known any more.
    func forget() { unsafe unlink(path) }

    /// - Returns: `nil` when there is no file, or something else is in it.
    private var kept: String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.digitsCount + 1)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        let hexadecimal = Set("0123456789abcdef".utf8)
        guard count == Self.digitsCount, bytes.prefix(count).allSatisfy(hexadecimal.contains) else {
            return nil
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

extension InstallFile {
    /// Where an app of this user keeps it: one folder for each app, since some systems share the folder above.
    static func ofThisUser(_ app: AppInfo) -> InstallFile {
        InstallFile(
            folder: base(ProcessInfo.processInfo.environment, home: NSHomeDirectory()) + "/LeakReporter/"
                + folderName(for: app))
    }

    /// - Parameter environment: of which `XDG_STATE_HOME` is read, which must be absolute.
    ///   https://specifications.freedesktop.org/basedir-spec/latest/
    static func base(_ environment: [String: String], home: String) -> String {
        #if canImport(Darwin)
            // Of what tvOS lets an app write, the caches live longest.
            #if os(tvOS)
                let place = FileManager.SearchPathDirectory.cachesDirectory
            #else
                let place = FileManager.SearchPathDirectory.applicationSupportDirectory
            #endif
            return FileManager.default.urls(for: place, in: .userDomainMask).first?.path ?? home
        #else
            if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") { return folder }
            return home + "/.local/state"
        #endif
    }

    /// One path element, whatever the app is called.
    static func folderName(for app: AppInfo) -> String {
        let name = app.id ?? app.module ?? ""
        let safe = name.utf8.prefix(128).map { byte -> Character in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            return isPlain ? Character(Unicode.Scalar(byte)) : "_"
        }
        // Not `.`, `..` or hidden, and never empty.
        return "app-" + String(safe)
    }
}
