/// Memory for copies of enum values, one block for each level of enums inside enums.
@safe final class ScratchMemory {
    static let levelCount = 16
    private static let bytes = 4096

    private let memory: UnsafeMutableRawPointer

    init() { unsafe memory = .allocate(byteCount: Self.levelCount * Self.bytes, alignment: 16) }

    deinit { unsafe memory.deallocate() }

    /// Returns the memory for a value of `count` bytes at a level; `nil` if the value is too large or too deep. At least 16 bytes
    /// more are available, because witness functions may read a word beyond a value.
    func level(_ level: Int, count: Int) -> UnsafeMutableRawPointer? {
        guard level < Self.levelCount, count + 16 <= Self.bytes else { return nil }
        return unsafe memory + level * Self.bytes
    }
}
