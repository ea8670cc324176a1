#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The files of one folder, read once: a request never names a path of the disk, only a name of this table.
public struct StaticFiles: Sendable {
    private struct File: Sendable {
        let type: String
        let etag: String
        let bytes: [UInt8]
    }

    private let files: [String: File]

    /// Larger ones are no part of a page.
    private static let largestFile = 4 * 1024 * 1024
    private static let deepest = 8

    /// Reads every regular file in `folder` and below. Hidden ones and links are left out.
    ///
    /// - Throws: ``Failure`` when the folder, or a file in it, cannot be read.
    public init(folder: String) throws(Failure) {
        var files: [String: File] = [:]
        try Self.read(folder, "/", 0, into: &files)
        self.files = files
    }

    /// The names that are served, each starting with a slash.
    public var paths: [String] { files.keys.sorted() }

    /// - Returns: `nil` when no file has this name.
    public func response(to request: borrowing Request) -> Response? {
        guard let file = files[request.path] else { return nil }
        var response = Response(.ok, type: file.type, body: .bytes(file.bytes))
        response.etag = file.etag
        response.fields.append(("Cache-Control", "no-cache"))
        return response
    }

    public struct Failure: Error, Hashable, CustomStringConvertible {
        public let description: String
    }

    private static func read(
        _ folder: String, _ prefix: String, _ depth: Int, into files: inout [String: File]
    ) throws(Failure) {
        guard depth < deepest, let directory = unsafe opendir(folder) else {
            throw Failure(description: "cannot read the folder \(folder): \(Errno.current)")
        }
        defer { unsafe closedir(directory) }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard !name.hasPrefix(".") else { continue }
            let path = "\(folder)/\(name)"
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try read(path, "\(prefix)\(name)/", depth + 1, into: &files)
            case S_IFREG where status.st_size <= largestFile:
                let bytes = try contents(path)
                files[prefix + name] = File(type: type(of: name), etag: tag(of: bytes), bytes: bytes)
            default: continue
            }
        }
    }

    private static func contents(_ path: String) throws(Failure) -> [UInt8] {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard number >= 0 else { throw Failure(description: "cannot read \(path): \(Errno.current)") }
        let file = Descriptor(adopting: number)
        var contents: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count: Int
            do throws(Errno) {
                count = try retryingOnInterrupt {
                    unsafe block.withUnsafeMutableBytes { unsafe Self.read(file.number, $0) }
                }
            } catch {
                throw Failure(description: "cannot read \(path): \(error)")
            }
            guard count > 0 else { return contents }
            contents += block[..<count]
        }
    }

    private static func read(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.read(file, buffer.baseAddress, buffer.count)
        #else
            unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
        #endif
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last?.lowercased() ?? "" {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "svg": "image/svg+xml"
        case "ico": "image/x-icon"
        case "png": "image/png"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }

    /// FNV-1a, 64 bits, beside the length: tells two states of one file apart, and no more is asked of it.
    /// http://www.isthe.com/chongo/tech/comp/fnv/
    private static func tag(of bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16) + "-" + String(bytes.count, radix: 16)
    }
}
