internal import Gzip

/// Request bodies sent with `Content-Encoding: gzip`.
enum GzipContent {
    static func inflate(
        _ content: UnsafeBufferPointer<UInt8>, _ limits: Limits
    ) throws(RequestError) -> [UInt8] {
        // The ratio counts only once a body is large: short ones of repeated text shrink more, and harm nobody.
        let byRatio = unsafe max(limits.ratioFreeBytes, content.count * limits.inflatedRatio)
        do throws(GzipError) {
            return try unsafe Gzip.inflate(content, limit: min(limits.inflatedBytes, byRatio))
        } catch {
            throw error == .tooLarge ? .bodyTooLarge : .malformedGzip
        }
    }
}
