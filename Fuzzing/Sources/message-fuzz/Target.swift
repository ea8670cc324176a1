#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

@testable private import LeakCollector

/// What libFuzzer calls with every input it makes up: the body of one request, and what is in it under other names.
/// https://llvm.org/docs/LibFuzzer.html#fuzz-target
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let body = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    let before = liveBytes()
    // What takes too long is measured again, so that only what takes long each time counts.
    var times: [UInt64] = []
    repeat {
        let start = nanosecondsOfThread()
        if let broken = unsafe MessagePromises.broken(by: body, cache: &Run.cache) { fatalError(broken) }
        times.append(nanosecondsOfThread() - start)
    } while times.last ?? 0 > allowedNanoseconds(count) && times.count < 5
    if let least = times.min(), least > allowedNanoseconds(count) {
        fatalError("\(count) bytes take \(least / 1000) µs, not \(allowedNanoseconds(count) / 1000)")
    }
    Run.keep(liveBytes() - before)
    return 0
}

/// What lasts from input to input.
private enum Run {
    /// As a collector has it: bounded, and never emptied.
    nonisolated(unsafe) static var cache = GroupCache()
    nonisolated(unsafe) private static var inputs = 0
    nonisolated(unsafe) private static var keptBytes = 0
    nonisolated(unsafe) private static var keptMost = 0

    /// The groups of a full cache, and what the runtime makes once.
    private static let keptLimit = 96 * 1024 * 1024

    /// - Parameter bytes: that are live after an input and were not before it.
    static func keep(_ bytes: Int) {
        unsafe (keptBytes, inputs) = (keptBytes + bytes, inputs + 1)
        unsafe keptMost = max(keptMost, keptBytes)
        let (kept, most, inputs) = unsafe (keptBytes, keptMost, inputs)
        if kept > keptLimit { fatalError("\(inputs) inputs left \(kept) bytes behind") }
        if inputs.nonzeroBitCount == 1, inputs >= 1024 {
            // Beside libFuzzer's own lines.
            let line = Array(
                "kept: \(inputs) inputs, \(kept >> 10) KiB live, \(most >> 10) KiB at most\n".utf8)
            _ = unsafe write(STDERR_FILENO, line, line.count)
        }
    }
}

/// Linear in the bytes, some ten times what the slowest take on a desk machine of 2020.
private func allowedNanoseconds(_ count: Int) -> UInt64 { 60_000_000 + 60_000 * UInt64(count) }

/// The processor's time of this thread: what other processes do meanwhile is not in it.
private func nanosecondsOfThread() -> UInt64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Of the address sanitizer's allocator: to the byte, and without what it holds back to find late uses.
/// https://github.com/llvm/llvm-project/blob/main/compiler-rt/include/sanitizer/allocator_interface.h
@_silgen_name("__sanitizer_get_current_allocated_bytes")
private func liveBytes() -> Int
