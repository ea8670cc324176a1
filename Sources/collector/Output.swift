#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What people read: results on standard output, failures on standard error, each line written at once, so that a pipe
/// gets it before the program goes on.
enum Output {
    static func line(_ text: String) { write(text, to: 1) }

    static func error(_ text: String) { write(text, to: 2) }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
                #else
                    unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                #endif
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
