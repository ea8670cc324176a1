#if canImport(Glibc)
    internal import Glibc
#endif

/// Small files of the system.
enum SystemFile {
    /// - Returns: no bytes if the file cannot be read.
    static func contents(of path: String) -> [UInt8] {
        #if canImport(Glibc)
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return [] }
            defer { close(descriptor) }
            var contents: [UInt8] = []
            var block = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = unsafe read(descriptor, &block, block.count)
                guard count > 0 else { return contents }
                contents += block.prefix(count)
            }
        #else
            return []
        #endif
    }
}
