internal import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The address of a running server, in a file of its data folder. `collector health` reads it there, because it does
/// not see the server's flags.
public struct AddressFile: Sendable {
    static let name = "collector.address"
    private static let maxBytes = 512

    private let path: String

    /// - Parameter folder: the data folder.
    public init(folder: String) { path = "\(folder)/\(Self.name)" }

    /// Writes the address atomically: a reader sees all of the previous address or all of the new one.
    ///
    /// - Returns: `true` if it was written. A missing folder is not created.
    public func write(_ address: String) -> Bool {
        let partialPath = path + ".part"
        unsafe unlink(partialPath)
        let file = unsafe open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { return false }
        let bytes = Array("\(address)\n".utf8)
        let count = writeAll(bytes, to: file)
        close(file)
        guard count == bytes.count, unsafe rename(partialPath, path) == 0 else {
            unsafe unlink(partialPath)
            return false
        }
        return true
    }

    /// Returns the address; `nil` if the file cannot be read, or does not hold a whole address as a server writes it.
    public func read() -> String? {
        let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.maxBytes)
        #if canImport(Darwin)
            let count = unsafe Darwin.read(file, &bytes, bytes.count)
        #else
            let count = unsafe Glibc.read(file, &bytes, bytes.count)
        #endif
        guard count > 0, bytes[count - 1] == UInt8(ascii: "\n") else { return nil }
        let line = bytes[..<(count - 1)]
        guard line.starts(with: "http://".utf8), line.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Removes the address, unless another server has written its own.
    public func remove(_ address: String) {
        if read() == address { unsafe unlink(path) }
    }
}
