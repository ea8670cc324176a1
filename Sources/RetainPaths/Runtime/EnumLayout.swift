/// The rule for finding the case of an enum.
struct EnumLayout {
    let metadata: UInt
    let size: Int
    let enumTag: UInt
    let projectEnumData: UInt
    /// The slots of each case's payload, in the order of tags.
    var cases: [SlotRange] = []
}
