#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A check for damage that SQLite silently ignores in a write-ahead log: SQLite reads a log up to the first frame with a wrong
/// checksum or salt, and treats a log without a header as empty. https://www.sqlite.org/fileformat2.html#the_write_ahead_log
enum WriteAheadLogCheck {
    private static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// The first bytes of a log.
    enum LogStart: Equatable {
        /// A valid header. It changes each time that SQLite restarts the log.
        case header([UInt8])
        /// No log, or a log that is too short for a header: after SQLite has emptied a log, it writes the header with the next
        /// commit.
        case empty
        /// The log has an invalid header.
        case damaged
    }

    /// Returns the first bytes of a log. Reads them up to three times, 1 ms apart, before they count as damaged, because
    /// another process may be writing them.
    static func start(of log: String) -> LogStart {
        for attempt in 0..<3 {
            if attempt > 0 { usleep(1_000) }
            let descriptor = unsafe open(log, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return .empty }
            defer { close(descriptor) }
            let bytes = read(descriptor, count: headerBytes, at: 0)
            if bytes.count < headerBytes { return .empty }
            if Header(bytes) != nil { return .header(bytes) }
        }
        return .damaged
    }

    /// Returns the problem of the log of a database that no process has open; `nil` if there is none. A broken last commit is
    /// no problem: the next commit overwrites it.
    static func problem(of log: String) -> String? {
        let descriptor = unsafe open(log, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let start = read(descriptor, count: headerBytes, at: 0)
        guard start.count == headerBytes else { return nil }
        guard let header = Header(start) else {
            let hasFrames = !read(descriptor, count: 1, at: headerBytes + frameHeaderBytes).isEmpty
            return hasFrames ? "its log has no valid header" : nil
        }
        let frameBytes = frameHeaderBytes + header.pageBytes
        let framesAtOnce = max(1, (1 << 20) / frameBytes)
        var offset = headerBytes
        var previousChecksum = header.checksum
        var isBroken = false
        // Number of commits after the last broken frame.
        var commitCount = 0
        while true {
            let bytes = read(descriptor, count: framesAtOnce * frameBytes, at: offset)
            let count = bytes.count / frameBytes
            for index in 0..<count {
                let frame = bytes[index * frameBytes..<(index + 1) * frameBytes]
                let fields = frame.prefix(frameHeaderBytes)
                var checksum = previousChecksum
                checksum.add(fields.prefix(8))
                checksum.add(frame.dropFirst(frameHeaderBytes))
                // Frames from before the last restart of the log have other salts.
                let isValid =
                    fields.dropFirst(8).prefix(8).elementsEqual(header.salts)
                    && checksum.equals(fields.dropFirst(16))
                previousChecksum = header.checksum.continued(fields.dropFirst(16))
                if !isValid { (isBroken, commitCount) = (true, 0) }
                let isCommit = fields.dropFirst(4).prefix(4).contains { $0 != 0 }
                if isBroken, isValid, isCommit { commitCount += 1 }
                // One commit after a broken frame is allowed: a failing disk or a power cut may have left that commit
                // unfinished, and the next commit overwrites it.
                if commitCount > 1 { return "its log has commits after a broken commit" }
            }
            guard count == framesAtOnce else { return nil }
            offset += count * frameBytes
        }
    }

    /// Returns up to `count` bytes; fewer at the end of the file or after an error.
    private static func read(_ descriptor: Int32, count: Int, at offset: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, readCount in
            readCount = 0
            while readCount < count {
                let part = unsafe pread(
                    descriptor, buffer.baseAddress.map { unsafe $0 + readCount }, count - readCount,
                    off_t(offset + readCount))
                guard part > 0 else { break }
                readCount += part
            }
        }
    }

    private struct Header {
        let pageBytes: Int
        let salts: [UInt8]
        let checksum: Checksum

        init?(_ bytes: [UInt8]) {
            let magic = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard magic & ~1 == 0x377F_0682 else { return nil }
            var checksum = Checksum(isBigEndian: magic & 1 == 1)
            checksum.add(bytes.prefix(24))
            guard checksum.equals(bytes.dropFirst(24)) else { return nil }
            pageBytes = Int(bytes[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
            guard (512...65_536).contains(pageBytes) else { return nil }
            salts = Array(bytes[16..<24])
            self.checksum = checksum
        }
    }

    /// The running checksum of a log: over its header and all frames up to a frame.
    private struct Checksum {
        private var first: UInt32 = 0
        private var second: UInt32 = 0
        private let isBigEndian: Bool

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// Returns the checksum that a frame stores in eight bytes. The checksum of the next frame continues from it.
        func continued(_ stored: ArraySlice<UInt8>) -> Checksum {
            var sum = self
            sum.first = stored.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            sum.second = stored.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            return sum
        }

        /// - Parameter bytes: a multiple of eight.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            unsafe bytes.withUnsafeBytes { bytes in
                var offset = 0
                while offset + 8 <= bytes.count {
                    let words = unsafe (
                        bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
                        bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    )
                    first &+=
                        (isBigEndian ? UInt32(bigEndian: words.0) : UInt32(littleEndian: words.0)) &+ second
                    second &+=
                        (isBigEndian ? UInt32(bigEndian: words.1) : UInt32(littleEndian: words.1)) &+ first
                    offset += 8
                }
            }
        }

        /// Returns `true` if eight bytes of the file are this checksum. The file stores checksums big-endian.
        func equals(_ bytes: ArraySlice<UInt8>) -> Bool {
            bytes.elementsEqual(
                [first, second].flatMap { word in
                    (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
                })
        }
    }
}
