internal import LeakGzip

/// The reason why a folder cannot be served.
public enum StaticFilesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A file or folder cannot be read. The values are its path and the error message of the system.
    case unreadable(path: String, reason: String)
    /// The files of the folder have more bytes than the limit.
    case tooLarge(folder: String, limit: Int)

    /// A message of one line for the operator.
    public var description: String {
        switch self {
        case .unreadable(let path, let message): "cannot read \(path): \(message)"
        case .tooLarge(let path, let limit):
            "\(path) has more than \(limit >> 20) MiB, but its files are kept in memory: remove some files"
        }
    }
}

/// The files of a folder, loaded once into a table of paths. No request is ever mapped to a path on disk.
///
/// Files are left out if their name begins with a dot or cannot be written in a request, if they are not regular files, or if
/// they are symbolic links to a folder or to a file outside of the folder. An `index.html` is also served for its folder,
/// `/docs/`; `/docs` without the slash is another path and is not found. `Range` is ignored, which `Accept-Ranges: none`
/// announces. Of the conditional fields, only `If-None-Match` is supported, because responses have no date of modification.
public struct StaticFiles: Sendable {
    /// The default limit for all files of a folder together, in bytes. All files stay in memory, text also in compressed form.
    public static let defaultLimit = 64 << 20

    private static let allow = "GET, HEAD, OPTIONS"
    private var responses = PathTable<Response>()

    /// Loads the files of a folder.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder; symbolic links to it are followed.
    ///   - limit: the most bytes of all files together.
    public init(folder: String, limit: Int = Self.defaultLimit) throws(StaticFilesError) {
        for file in try FolderReader.read(folder, limit: limit) {
            let response = Self.response(file)
            responses.add(file.path, response)
            if file.path.hasSuffix("/index.html") { responses.add(String(file.path.dropLast(10)), response) }
        }
    }

    /// All paths that are served, percent-decoded and sorted.
    public var paths: [String] { responses.paths.sorted() }

    /// Returns the response to a request for a file.
    ///
    /// - Returns: the file, a 405, or for `OPTIONS` a 204 with the allowed methods; `nil` if no file has this path.
    public func response(to request: borrowing Request) -> Response? {
        guard let response = request.withPath({ responses.value(at: $0) }) else { return nil }
        return switch request.method {
        case .get, .head: response
        case .options: .options(allow: Self.allow)
        default: .methodNotAllowed(allow: Self.allow)
        }
    }

    /// Returns the methods allowed for the path of `request`, as the value of `Allow`; `nil` if no file has this path.
    public func allowedMethods(of request: borrowing Request) -> String? {
        request.withPath { responses.value(at: $0) } == nil ? nil : Self.allow
    }

    private static func response(_ file: FolderReader.File) -> Response {
        let type = MediaType.of(file.path)
        var response = Response(.ok, type: type, body: .bytes(file.bytes))
        response.etag = "\"\(hash(file.bytes))\""
        // `Range` is ignored; this field tells clients so (RFC 9110 §14.3).
        response.fields = [("Cache-Control", cacheControl(file.path)), ("Accept-Ranges", "none")]
        if Response.isCompressible(type) && file.bytes.count > Response.compressionThreshold {
            response.gzippedBody = Gzip.deflate(file.bytes, level: 9)
        }
        return response
    }

    /// Returns the value of `Cache-Control`. A file with a hash after the first part of its name, such as `app.3f9c2b1e.js`,
    /// never changes and is cached for a year; other files are revalidated.
    static func cacheControl(_ path: String) -> String {
        let parts = path.split(separator: "/").last?.split(separator: ".") ?? []
        let isHashed =
            parts.count >= 3
            && parts.dropFirst().dropLast().contains { part in
                isHash(part.utf8)
            }
        return isHashed ? "public, max-age=31536000, immutable" : "no-cache"
    }

    /// Returns `true` if `part` consists of at least eight hexadecimal digits, among them a letter and a decimal digit. Dates,
    /// numbers and words therefore do not count as hashes. The few hashes without a letter or without a decimal digit do not
    /// count either; clients only revalidate their files more often.
    private static func isHash(_ part: Substring.UTF8View) -> Bool {
        guard part.count >= 8, part.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            return false
        }
        return part.contains(where: ASCII.isDigit) && !part.allSatisfy(ASCII.isDigit)
    }

    /// Returns the 64-bit FNV-1a hash and the byte count: http://www.isthe.com/chongo/tech/comp/fnv/
    private static func hash(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "\(String(hash, radix: 16))-\(String(bytes.count, radix: 16))"
    }
}

/// Media types by file name extension. Text is UTF-8.
enum MediaType {
    static func of(_ name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return unknown }
        return types[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    private static let unknown = "application/octet-stream"

    private static let types = [
        "avif": "image/avif", "css": "text/css; charset=utf-8", "csv": "text/csv; charset=utf-8",
        "gif": "image/gif", "gz": "application/gzip", "htm": "text/html; charset=utf-8",
        "html": "text/html; charset=utf-8", "ico": "image/x-icon", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript; charset=utf-8", "json": "application/json", "map": "application/json",
        "md": "text/markdown; charset=utf-8", "mjs": "text/javascript; charset=utf-8", "mp3": "audio/mpeg",
        "mp4": "video/mp4", "otf": "font/otf", "pdf": "application/pdf", "png": "image/png",
        "svg": "image/svg+xml", "ttf": "font/ttf", "txt": "text/plain; charset=utf-8",
        "wasm": "application/wasm", "webm": "video/webm", "webmanifest": "application/manifest+json",
        "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2", "xml": "text/xml; charset=utf-8",
        "zip": "application/zip",
    ]
}
