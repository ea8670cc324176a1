/// Bytes of details, in the measure of ``StoreLimits/detailBytesPerKeyAndDay``.
package enum DetailBytes {
    /// Bytes that a row takes besides a text.
    private static let rowBytes = 16

    /// Bytes of a row of `sample`, but for a few.
    package static func ofSample(_ body: [UInt8], from origin: Submission.Origin) -> Int {
        var bytes = body.count + origin.version.utf8.count
        for text in [origin.build, origin.system, origin.model, origin.install, origin.user] {
            bytes += text?.utf8.count ?? 0
        }
        return bytes
    }

    /// Bytes of a row of `leak_value`, but for a few.
    package static func ofValue(_ text: String) -> Int { text.utf8.count + rowBytes }

    /// Bytes of a row of `release_check`, but for a few. Each version has rows of its own.
    package static func ofCheck(_ className: String) -> Int { className.utf8.count + rowBytes }
}
