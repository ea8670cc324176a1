#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif
private import SlowInputDetector

@testable private import LeakCollector

/// The function that libFuzzer calls with each generated input, which is read as the body of a request in each format, and as a
/// name and a text in a report.
/// https://llvm.org/docs/LibFuzzer.html#fuzz-target
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let body = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    let before = liveBytes()
    if let excess = Run.slowInputDetector.excess(of: body) { fatalError(excess) }
    Run.keep(liveBytes() - before)
    return 0
}

/// State that is kept from input to input.
private enum Run {
    /// The cache as in a collector: bounded, and never emptied.
    nonisolated(unsafe) private static var cache = GroupCache()
    nonisolated(unsafe) private static var inputs = 0
    nonisolated(unsafe) private static var keptBytes = 0
    nonisolated(unsafe) private static var keptMost = 0

    /// The slowest texts seen take seven times as long as plain reports.
    static let slowInputDetector = SlowInputDetector(
        factor: 20, plain: #"{"class":"Shop.Cart","stack":["Shop.Home"]}"# + "\n"
    ) {
        if let violation = unsafe MessageInvariants.violation(by: $0, cache: &cache) { fatalError(violation) }
    }

    /// Maximum number of live bytes that inputs may leave behind: the groups of a full cache, and data that the runtime creates
    /// once.
    private static let keptLimit = 96 * 1024 * 1024

    /// - Parameter bytes: bytes that are live after an input and were not before it.
    static func keep(_ bytes: Int) {
        unsafe (keptBytes, inputs) = (keptBytes + bytes, inputs + 1)
        unsafe keptMost = max(keptMost, keptBytes)
        let (kept, most, inputs) = unsafe (keptBytes, keptMost, inputs)
        if kept > keptLimit { fatalError("\(inputs) inputs left \(kept) bytes behind") }
        if inputs.nonzeroBitCount == 1, inputs >= 1024 {
            // Printed between libFuzzer's own lines.
            let line = Array(
                "kept: \(inputs) inputs, \(kept >> 10) KiB live, \(most >> 10) KiB at most\n".utf8)
            _ = unsafe write(STDERR_FILENO, line, line.count)
        }
    }
}

/// The live bytes of the address sanitizer's allocator: exact to the byte, and without the bytes held back to find late uses.
/// https://github.com/llvm/llvm-project/blob/main/compiler-rt/include/sanitizer/allocator_interface.h
@_silgen_name("__sanitizer_get_current_allocated_bytes")
private func liveBytes() -> Int
