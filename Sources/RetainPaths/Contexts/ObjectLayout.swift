/// The offsets at which an object of one kind holds strong references.
struct ObjectLayout {
    enum Kind: UInt8 {
        case object
        /// The elements of an array, dictionary or set.
        case storage
        case closureContext
        /// A context whose layout depends on the type arguments that it holds.
        case genericContext
        /// A value in a box of its own: a captured variable, an indirect case, a large value in `any P`, an error.
        case box
        case task
        /// The frames of a suspended task's functions.
        case taskFrames
        case block
    }

    enum Elements: UInt8 { case none, array, dictionary, set }

    var kind: Kind
    /// The address of the class metadata, or of the metadata of a box's value; 0 if there is none.
    var metadata: UInt = 0
    /// The size of the header and the fields in bytes; 0 if only the allocator knows it.
    var size = 0
    var referenceFields = ReferenceFieldRange.empty
    /// The offset at which a search of the words for references begins; references that it finds are suspected. `nil` if
    /// ``referenceFields`` has all references.
    var scanStart: Int?
    /// The offset of the tail-allocated elements of a `ManagedBuffer`; `nil` for other objects, and if the elements hold no
    /// references. Their number is unknown, so all words up to the end of the allocation are searched for references.
    var tailStart: Int?
    var elements = Elements.none
    /// The index of the layout of the elements, or of a dictionary's values; -1 if there is none.
    var elementLayoutIndex: Int32 = -1
    /// The index of the layout of a dictionary's keys; -1 if there is none.
    var keyLayoutIndex: Int32 = -1
    /// The offset of the elements of an array, or of the bitmap of a dictionary or set.
    var elementsOffset = 0
    /// The offset of the scale of a dictionary or set: the number of its buckets is two to the power of the scale.
    var scaleOffset: UInt = 0
    /// The offset of the pointer to the keys of a dictionary.
    var keysOffset: UInt = 0
    /// The offset of the pointer to the values of a dictionary, or to the elements of a set.
    var valuesOffset: UInt = 0
    /// The offset of the pointer to raw memory that the object owns; 0 if it owns none.
    var rawMemoryOffset: UInt = 0
    /// The offset of the capacity of that memory; 0 if the object owns none.
    var rawCapacityOffset: UInt = 0

    /// `true` if a path shows the object as part of the reference that leads to it.
    var isFolded: Bool { kind == .storage || kind == .box }
}
