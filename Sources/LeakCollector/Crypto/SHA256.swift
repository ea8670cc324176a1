internal import CLeakCrypto

/// FIPS 180-4 through libcrypto.
enum SHA256 {
    /// - Returns: 32 bytes.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { digest, count in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                _ = unsafe CLeakCrypto.SHA256(bytes.baseAddress, bytes.count, digest.baseAddress)
            }
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }
}
