import LeakMessage

#if canImport(Darwin)
    internal import Darwin
#else
    internal import CLeakLinux
    internal import Glibc
#endif

extension LeakReporter {
    /// Captures the call stack of its caller for `LeakReport.stack`. Each frame has the image, the offset in it, and its UUID
    /// or build id, if it has one.
    ///
    /// The capture is fast, because no symbol names are looked up on the device. `collector symbols upload` gives the collector
    /// the names of a stripped build.
    ///
    /// - Parameter limit: the most frames, innermost first.
    /// - Returns: elements of at most 512 bytes, such as `0x41b9 in Shop (6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00)`.
    @inline(never)
    public static func callStack(limit: Int = 64) -> [String] {
        // This function is the first frame.
        let capacity = min(max(limit, 0), WireLimits.stackCount) + 1
        let addresses = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: capacity)
        defer { unsafe addresses.deallocate() }
        let count = unsafe Int(backtrace(addresses, Int32(capacity)))
        guard count > 1 else { return [] }
        // The call instruction is before the return address.
        let calls = (1..<count).map { unsafe UInt(bitPattern: addresses[$0]) &- 1 }
        return LoadedImages.elements(of: calls)
    }
}
