/// A range of consecutive slots in ``TypeLayouts/slots``.
struct SlotRange {
    static let empty = SlotRange(start: 0, count: 0)

    var start: Int32
    var count: Int32

    var isEmpty: Bool { count == 0 }
    var indices: Range<Int> { Int(start)..<Int(start + count) }
}
