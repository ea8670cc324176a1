#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The resources that this process uses, as Linux reports them in `/proc`.
struct ProcessStatistics: Hashable, Sendable {
    var cpuSeconds: Double
    var residentBytes: Int
    var openDescriptors: Int
    var maxDescriptors: Int
    /// The start of the process in seconds since the start of the system.
    var startSeconds: Double

    /// Reads the resources of this process.
    ///
    /// - Returns: `nil` on systems without `/proc`.
    static func current() -> ProcessStatistics? {
        guard let status = contents(of: "/proc/self/stat"), let limits = contents(of: "/proc/self/limits"),
            let openDescriptors = entryCount(of: "/proc/self/fd")
        else {
            return nil
        }
        return ProcessStatistics(
            status: status, limits: limits, openDescriptors: openDescriptors,
            ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)), pageBytes: sysconf(Int32(_SC_PAGESIZE)))
    }

    /// - Parameters:
    ///   - status: the contents of `/proc/self/stat`, proc(5).
    ///   - limits: the contents of `/proc/self/limits`.
    init?(status: String, limits: String, openDescriptors: Int, ticksPerSecond: Int, pageBytes: Int) {
        // The name of the program, in parentheses, may have spaces and parentheses.
        guard let nameEnd = status.lastIndex(of: ")") else { return nil }
        let fields = status[nameEnd...].dropFirst().split(separator: " ")
        guard fields.count > 21, let userTicks = Int(fields[11]), let systemTicks = Int(fields[12]),
            let startTicks = Int(fields[19]), let pages = Int(fields[21])
        else {
            return nil
        }
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        let softLimit = line?.dropFirst("Max open files".count).split(separator: " ").first
        guard let softLimit, let maxDescriptors = softLimit == "unlimited" ? .max : Int(softLimit) else {
            return nil
        }
        cpuSeconds = Double(userTicks + systemTicks) / Double(ticksPerSecond)
        startSeconds = Double(startTicks) / Double(ticksPerSecond)
        residentBytes = pages * pageBytes
        self.openDescriptors = openDescriptors
        self.maxDescriptors = maxDescriptors
    }

    /// Returns how long this process has been running, in seconds; `nil` on systems without `/proc`.
    static func secondsSinceStart() -> Double? {
        guard let uptime = contents(of: "/proc/uptime").flatMap({ Double($0.prefix { $0 != " " }) }) else {
            return nil
        }
        return current().map { uptime - $0.startSeconds }
    }

    private static func contents(of path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // Each of the files has less than 2 KiB.
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = unsafe read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Returns the number of entries of a folder, without the descriptor by which it is read.
    private static func entryCount(of folder: String) -> Int? {
        guard let directory = unsafe opendir(folder) else { return nil }
        defer { unsafe closedir(directory) }
        var count = 0
        while let entry = unsafe readdir(directory) {
            if unsafe entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count - 1
    }
}
