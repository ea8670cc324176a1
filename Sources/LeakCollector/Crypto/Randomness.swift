internal import CLeakCrypto

/// Random bytes for secrets, from libcrypto's generator.
enum Randomness {
    /// - Returns: `count` bytes that no one can guess.
    /// - Throws: ``Unavailable`` when the system gives no entropy; a secret must then not be made.
    static func bytes(_ count: Int) throws(Unavailable) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe RAND_bytes(buffer.baseAddress, Int32(buffer.count))
        }
        guard filled == 1 else { throw Unavailable() }
        return bytes
    }

    struct Unavailable: Error, CustomStringConvertible {
        var description: String { "the system has no randomness for a new secret; try again in a moment" }
    }
}
