#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// Finds inputs that take too long for their size.
///
/// Compares the time of an input with that of a plain input of the same size. One thread reads both in turns, so a slow or
/// busy machine slows both.
public struct SlowInputDetector: Sendable {
    /// An input may take this many times as long as the plain input.
    private let factor: UInt64
    /// A short input that is repeated to make the plain input.
    private let plain: [UInt8]
    /// Reads an input.
    private let read: @Sendable ([UInt8]) -> Void

    /// An input that is read in less time is accepted without a comparison.
    private static let acceptedNanoseconds: UInt64 = 20_000_000
    /// The smallest size of a plain input. The fixed cost of reading an input is negligible from this size on.
    private static let leastBytes = 1024
    private static let turns = 5

    public init(factor: UInt64, plain: String, read: @escaping @Sendable ([UInt8]) -> Void) {
        self.factor = factor
        self.plain = Array(plain.utf8)
        self.read = read
    }

    /// Reads an input once, and up to five more times if that takes long.
    ///
    /// - Returns: a sentence with both times if the input takes too long, else `nil`.
    public func excess(of input: [UInt8]) -> String? {
        var time = time(of: input)
        guard time > Self.acceptedNanoseconds else { return nil }
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

    /// Processor time of this thread in nanoseconds.
    private static var now: UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
