#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// What libFuzzer calls with every input it makes up: a stream of bytes as one connection would send it.
/// https://llvm.org/docs/LibFuzzer.html#fuzz-target
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let stream = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    // What takes too long is measured again, so that only what takes long each time counts.
    var times: [UInt64] = []
    repeat {
        let start = nanosecondsOfThread()
        if let broken = Promises.broken(by: stream) { fatalError(broken) }
        times.append(nanosecondsOfThread() - start)
    } while times.last ?? 0 > allowedNanoseconds(count) && times.count < 5
    if let least = times.min(), least > allowedNanoseconds(count) {
        fatalError("\(count) bytes take \(least / 1000) µs, not \(allowedNanoseconds(count) / 1000)")
    }
    if let broken = Servers.shared.broken(by: stream) { fatalError(broken) }
    return 0
}

/// Linear in the bytes, some ten times what the slowest take on a desk machine of 2020. Looking at all that
/// came with every byte that comes would take 64 KiB minutes.
private func allowedNanoseconds(_ count: Int) -> UInt64 { 20_000_000 + 10_000 * UInt64(count) }

/// The processor's time of this thread: what other processes do meanwhile is not in it.
private func nanosecondsOfThread() -> UInt64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
