private import SlowInputDetector

/// The function that libFuzzer calls with each generated input: a stream of bytes as one connection would send it.
/// https://llvm.org/docs/LibFuzzer.html#fuzz-target
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let stream = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    if let excess = Run.slowInputDetector.excess(of: stream) { fatalError(excess) }
    if let violation = Servers.shared.violation(by: stream) { fatalError(violation) }
    return 0
}

private enum Run {
    /// The smallest requests take the most time per byte. A parser that reads all earlier bytes for each new byte would
    /// take more than ten times as long for 64 KiB.
    static let slowInputDetector = SlowInputDetector(factor: 4, plain: "GET / HTTP/1.1\r\nHost: a\r\n\r\n") {
        stream in
        if let violation = HTTPInvariants.violation(by: stream) { fatalError(violation) }
    }
}
