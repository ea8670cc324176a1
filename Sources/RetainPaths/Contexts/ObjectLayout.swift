/// The places where an object of one kind holds strong references.
struct ObjectLayout {
    enum Kind: UInt8 {
        case object
        /// The elements of an array, dictionary or set.
        case storage
        case closureContext
        /// A context whose layout depends on the type arguments that it holds.
        case genericContext
        /// A value in a box of its own: a captured variable, an indirect case, a large value in `any P`.
        case box
        case task
        /// The frames of a suspended task's functions.
        case taskFrames
        case block
    }

    enum Elements: UInt8 { case none, array, dictionary, set }

    var kind: Kind
    /// The class or the metadata of a box; 0 if there is none.
    var metadata: UInt = 0
    /// Bytes of header and fields; 0 where the allocation has to tell.
    var size = 0
    var slots = SlotRange.empty
    /// Words from here to the end are searched for references, which are then suspected; `nil` where the slots are all.
    var scanStart: Int?
    /// The offset from which on uncounted elements follow, up to the end of the allocation: they are searched as well.
    var tailStart: Int?
    var elements = Elements.none
    /// The layout of elements or of a dictionary's values.
    var elementLayout: Int32 = -1
    var keyLayout: Int32 = -1
    /// The offset of the elements of an array, or of the bitmap of a dictionary or set.
    var elementsOffset = 0
    var scaleOffset: UInt = 0
    var keysOffset: UInt = 0
    var valuesOffset: UInt = 0
    /// Fields of an object that owns raw memory: the pointer and its capacity.
    var rawMemoryOffset: UInt = 0
    var rawCapacityOffset: UInt = 0

    /// True if paths show it as part of the reference that leads to it.
    var isFolded: Bool { kind == .storage || kind == .box }
}
