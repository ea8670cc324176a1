#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// Whether the time of an input grows out of proportion to its bytes. A plain input of as many bytes, read in turns with
/// it by the same thread, is the measure: the speed of the machine and its other processes slow both.
public struct Pace: Sendable {
    /// Times that an input may take as long as the plain one.
    private let factor: UInt64
    /// A short input that is repeated to make the plain one.
    private let plain: [UInt8]
    /// Reads an input.
    private let read: @Sendable ([UInt8]) -> Void

    /// What takes less is not compared.
    private static let nanoseconds: UInt64 = 20_000_000
    /// What an input costs besides its bytes disappears in those of a plain one of this size.
    private static let leastBytes = 1024
    private static let turns = 5

    public init(factor: UInt64, plain: String, read: @escaping @Sendable ([UInt8]) -> Void) {
        self.factor = factor
        self.plain = Array(plain.utf8)
        self.read = read
    }

    /// Reads an input, again only if that takes long.
    ///
    /// - Returns: how much too long it takes, in words, or `nil`.
    public func excess(of input: [UInt8]) -> String? {
        var time = time(of: input)
        guard time > Self.nanoseconds else { return nil }
        let copies = max(input.count, Self.leastBytes) / plain.count + 1
        let plain = Array(repeatElement(plain, count: copies).joined())
        var plainTime = UInt64.max
        for _ in 0..<Self.turns {
            plainTime = min(plainTime, self.time(of: plain))
            time = min(time, self.time(of: input))
            if time <= factor * plainTime { return nil }
        }
        return """
            \(input.count) bytes take \(time / 1000) µs, more than \(factor) times the \(plainTime / 1000) µs of plain ones
            """
    }

    private func time(of input: [UInt8]) -> UInt64 {
        let start = Self.now
        read(input)
        return Self.now - start
    }

    /// The processor's time of this thread.
    private static var now: UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
