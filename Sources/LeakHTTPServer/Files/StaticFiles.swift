internal import LeakGzip

/// Why a folder cannot be served.
public enum StaticFilesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path and what the system said.
    case unreadable(String, String)
    /// The folder, and how many bytes it may hold.
    case tooLarge(String, limit: Int)

    /// One line for the operator.
    public var description: String {
        switch self {
        case .unreadable(let path, let message): "cannot read \(path): \(message)"
        case .tooLarge(let path, let limit):
            "\(path) holds more than \(limit >> 20) MiB: its files are kept in memory"
        }
    }
}

/// The files of a folder, read once into a table of known names: nothing in a request ever names a path of
/// the disk.
///
/// Left out are names that begin with a dot or that no request can spell, what is no regular file, and symbolic
/// links out of the folder. An `index.html` also stands for its folder, `/docs/`; `/docs` is another path, and
/// nothing is there. `Range` is ignored and `Accept-Ranges: none` says so; of the conditions only `If-None-Match`
/// counts, since no date is given.
public struct StaticFiles: Sendable {
    /// Bytes that a folder may hold unless another limit is given. All of them stay in memory, some twice.
    public static let defaultLimit = 64 << 20

    private static let allow = "GET, HEAD, OPTIONS"
    private var answers = PathTable<Response>()

    /// Reads the folder.
    ///
    /// - Parameters:
    ///   - folder: a path; links that lead to it are followed.
    ///   - limit: bytes of all files together.
    public init(folder: String, limit: Int = Self.defaultLimit) throws(StaticFilesError) {
        for file in try Folder.read(folder, limit: limit) {
            let response = Self.response(file)
            answers.add(file.path, response)
            if file.path.hasSuffix("/index.html") { answers.add(String(file.path.dropLast(10)), response) }
        }
    }

    /// Every path that is answered, percent-decoded, in order.
    public var paths: [String] { answers.paths.sorted() }

    /// - Returns: the file, 405 or, for `OPTIONS`, 204 with the methods it answers, or `nil`: no such name.
    public func response(to request: borrowing Request) -> Response? {
        guard let answer = request.withPath({ answers.value(at: $0) }) else { return nil }
        return switch request.method {
        case .get, .head: answer
        case .options: .options(allow: Self.allow)
        default: .methodNotAllowed(allow: Self.allow)
        }
    }

    /// The methods that the address of `request` answers, as a value of `Allow`; `nil` if no file is there.
    public func allowedMethods(of request: borrowing Request) -> String? {
        request.withPath { answers.value(at: $0) } == nil ? nil : Self.allow
    }

    private static func response(_ file: Folder.File) -> Response {
        let type = MediaType.of(file.path)
        var response = Response(.ok, type: type, body: .bytes(file.bytes))
        response.etag = "\"\(hash(file.bytes))\""
        // `Range` is ignored, and whoever would ask for a part is told so: RFC 9110 §14.3.
        response.fields = [("Cache-Control", cacheControl(file.path)), ("Accept-Ranges", "none")]
        if Response.isCompressible(type) && file.bytes.count > Response.compressedBytes {
            response.gzipped = Gzip.deflate(file.bytes, level: 9)
        }
        return response
    }

    /// A name with a hash in it, such as `app.3f9c2b1e.js`, never means other bytes; all else is asked for
    /// again.
    static func cacheControl(_ path: String) -> String {
        let parts = path.split(separator: "/").last?.split(separator: ".") ?? []
        let isHashed =
            parts.count >= 3
            && parts.dropFirst().dropLast().contains { part in
                isHash(part.utf8)
            }
        return isHashed ? "public, max-age=31536000, immutable" : "no-cache"
    }

    /// Eight hexadecimal digits or more, of which one is a letter and one is none: a date, a number and most words are
    /// not taken for a hash, and the few hashes that look like a number are asked for again.
    private static func isHash(_ part: Substring.UTF8View) -> Bool {
        guard part.count >= 8, part.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            return false
        }
        return part.contains(where: ASCII.isDigit) && !part.allSatisfy(ASCII.isDigit)
    }

    /// FNV-1a of 64 bits, and the count: http://www.isthe.com/chongo/tech/comp/fnv/
    private static func hash(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "\(String(hash, radix: 16))-\(String(bytes.count, radix: 16))"
    }
}

/// Types of files, by their names. Text is UTF-8.
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
