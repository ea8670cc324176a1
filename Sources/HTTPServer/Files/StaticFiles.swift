internal import Gzip

/// Why a folder cannot be served.
public enum StaticFilesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path and what the system said.
    case unreadable(String, String)

    public var description: String {
        switch self {
        case .unreadable(let path, let message): "cannot read \(path): \(message)"
        }
    }
}

/// The files of a folder, read once into a table of known names: nothing in a request ever names a path of
/// the disk.
///
/// Left out are names that begin with a dot, what is no regular file, and symbolic links out of the folder.
/// An `index.html` also stands for its folder.
public struct StaticFiles: Sendable {
    private let answers: [String: Response]

    /// Reads the folder.
    public init(folder: String) throws(StaticFilesError) {
        var answers: [String: Response] = [:]
        for file in try Folder.read(folder) {
            let response = Self.response(file)
            answers[file.path] = response
            if file.path.hasSuffix("/index.html") { answers[String(file.path.dropLast(10))] = response }
        }
        self.answers = answers
    }

    /// Every path that is answered, in order.
    public var paths: [String] { answers.keys.sorted() }

    /// - Returns: the file, 405 for methods other than `GET` and `HEAD`, or `nil`: no such name.
    public func response(to request: borrowing Request) -> Response? {
        guard let answer = answers[request.path] else { return nil }
        guard request.method == .get || request.method == .head else {
            var refusal = Response.problem(.methodNotAllowed, "A file can only be read.")
            refusal.fields = [("Allow", "GET, HEAD")]
            return refusal
        }
        return answer
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
                part.count >= 8 && part.allSatisfy(\.isHexDigit)
            }
        return isHashed ? "public, max-age=31536000, immutable" : "no-cache"
    }

    /// FNV-1a of 64 bits, and the count: http://www.isthe.com/chongo/tech/comp/fnv/
    private static func hash(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "\(String(hash, radix: 16))-\(String(bytes.count, radix: 16))"
    }
}
