#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import CLeakLinux
    internal import Glibc
#endif

/// Reads that fail instead of raising a signal if an address is not mapped.
enum CheckedMemory {
    /// Copies `count` bytes at `address`.
    ///
    /// Makes one system call, which takes 0.9 µs for 4 KiB.
    /// - Returns: `false` if one of the bytes cannot be read. The contents of `destination` are then undefined.
    static func read(_ address: UInt, count: Int, into destination: UnsafeMutableRawPointer) -> Bool {
        guard count > 0, HeapLayout.addresses.contains(address) else { return false }
        #if canImport(Darwin)
            // Written for Apple's systems, but not run there yet.
            var copied: vm_size_t = 0
            let status = unsafe vm_read_overwrite(
                mach_task_self_, vm_address_t(address), vm_size_t(count),
                vm_address_t(UInt(bitPattern: destination)), &copied)
            return status == KERN_SUCCESS && copied == vm_size_t(count)
        #elseif canImport(Glibc)
            var local = unsafe iovec(iov_base: destination, iov_len: count)
            var remote = unsafe iovec(iov_base: UnsafeMutableRawPointer(bitPattern: address), iov_len: count)
            return unsafe clinux_read_memory(getpid(), &local, 1, &remote, 1, 0) == count
        #else
            return false
        #endif
    }

    /// Finds the 48 bits of an address among bytes: the other bits of a reference may be tags.
    ///
    /// The C library's search is optimized in debug builds too, where a loop in Swift is not.
    static func find(_ address: UInt, in bytes: UnsafeMutableRawPointer, from start: Int, count: Int) -> Int?
    {
        #if canImport(Glibc)
            guard start < count else { return nil }
            var pattern = address.littleEndian
            let found = unsafe clinux_find_bytes(bytes + start, count - start, &pattern, 6)
            return unsafe found.map { unsafe $0 - bytes }
        #else
            return nil
        #endif
    }
}
