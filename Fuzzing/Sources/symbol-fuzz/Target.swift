private import SlowInputDetector

@testable private import LeakCollector

/// The function that libFuzzer calls with each generated input: a symbol table, or a file that a table is made from.
/// https://llvm.org/docs/LibFuzzer.html#fuzz-target
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    if let excess = Run.slowInputDetector.excess(of: input) { fatalError(excess) }
    return 0
}

private enum Run {
    /// A name is demangled once, so that a repeated name costs less than others do.
    static let slowInputDetector = SlowInputDetector(factor: 40, plain: "PUBLIC 1f 0 f\n") {
        if let violation = SymbolInvariants.violation(by: $0) { fatalError(violation) }
    }
}
