/// The layout of type metadata on 64-bit systems.
///
/// Numbers are offsets in bytes, unless their names or comments say otherwise.
///
/// Sources: include/swift/ABI/MetadataKind.def, Metadata.h, MetadataValues.h and ValueWitness.def in the repository of Swift.
/// `MetadataLayoutTests` compares the numbers that have a counterpart in Swift with the runtime that the tests run on; a wrong
/// number of another field would give the scenarios of `ScenarioTests` other paths.
enum MetadataLayout {
    /// The first word of metadata. MetadataKind.def
    enum Kind {
        static let classType: UInt = 0
        static let structure: UInt = 0x200
        static let enumeration: UInt = 0x201
        static let optional: UInt = 0x202
        static let foreignClass: UInt = 0x203
        static let opaque: UInt = 0x300
        static let tuple: UInt = 0x301
        static let function: UInt = 0x302
        static let existential: UInt = 0x303
        static let metatype: UInt = 0x304
        static let existentialMetatype: UInt = 0x306
        static let extendedExistential: UInt = 0x307
        static let closureContext: UInt = 0x400
        static let genericBox: UInt = 0x500
        static let errorBox: UInt = 0x501
        static let task: UInt = 0x502
        /// The largest kind. A class of Objective-C has an isa pointer instead of a kind; the pointer is a larger number.
        /// `LastEnumeratedMetadataKind`
        static let last: UInt = 0x7FF

        @inline(__always)
        static func isClass(_ word: UInt) -> Bool {
            #if canImport(Darwin)
                return word == classType || word > last
            #else
                return word == classType
            #endif
        }
    }

    /// The word before the metadata. Metadata.h: TargetTypeMetadataHeader
    static let valueWitnesses = -8
    /// The function that destroys an object; class metadata and contexts have it. Metadata.h: TargetHeapMetadataHeaderPrefix
    static let destroy = -16

    /// Struct and enum metadata. Metadata.h: TargetValueMetadata
    enum Value {
        static let descriptor = 8
        static let genericArguments = 16
    }

    /// Class metadata. Metadata.h: TargetClassMetadata; with Objective-C three more words precede the flags.
    enum Class {
        #if canImport(Darwin)
            private static let shift = 24
        #else
            private static let shift = 0
        #endif
        static let superclass = 8
        static let instanceSize = 24 + shift
        static let metadataSize = 32 + shift
        static let descriptor = 40 + shift
    }

    /// Metadata.h: TargetTupleTypeMetadata
    enum Tuple {
        static let count = 8
        static let labels = 16
        static let elements = 24
        static let elementStride = 16
    }

    /// Metadata.h: TargetFunctionTypeMetadata; MetadataValues.h: TargetFunctionTypeFlags
    enum Function {
        static let flags = 8
        static let conventionShift: UInt = 16
        static let conventionMask: UInt = 0xFF
        static let swiftConvention: UInt = 0
        static let blockConvention: UInt = 1
    }

    /// Metadata.h: TargetExistentialTypeMetadata; MetadataValues.h: ExistentialTypeFlags
    enum Existential {
        static let flags = 8
        /// The flag that is clear if the protocols are bound to classes.
        static let isOpaqueFlag: UInt32 = 0x8000_0000
        static let specialProtocolShift: UInt32 = 24
        static let specialProtocolMask: UInt32 = 0x3F
        static let errorProtocol: UInt32 = 1
        /// The offset of the type in a container, after a buffer of three words.
        static let containedType = 24
        /// Metadata.h: ExtendedExistentialTypeShape. The lowest byte of its flags is 0 for an opaque type and 1 for a class.
        static let shape = 8
        static let shapeKindMask: UInt32 = 0xFF
    }

    /// Value witness tables. ValueWitness.def; MetadataValues.h: TargetValueWitnessFlags
    enum ValueWitnessTable {
        static let size: UInt = 64
        static let stride: UInt = 72
        static let flags: UInt = 80
        static let enumTag: UInt = 88
        static let projectEnumData: UInt = 96
        static let alignmentMask: UInt32 = 0xFF
        static let isNotTrivialFlag: UInt32 = 0x1_0000
        static let isNotInlineFlag: UInt32 = 0x2_0000
        /// The flag that is set until the runtime has computed the layout.
        static let isIncompleteFlag: UInt32 = 0x40_0000
        static let hasEnumWitnessesFlag: UInt32 = 0x20_0000
    }
}

/// The functions and reference fields that are needed to find the case of an enum value and its payload.
struct EnumLayout {
    let metadata: UInt
    let size: Int
    let enumTag: UInt
    let projectEnumData: UInt
    /// The reference fields of each case's payload, in the order of tags.
    var cases: [ReferenceFieldRange] = []
}

/// A range of consecutive reference fields in ``TypeLayouts/referenceFields``.
struct ReferenceFieldRange {
    static let empty = ReferenceFieldRange(start: 0, count: 0)

    var start: Int32
    var count: Int32

    var isEmpty: Bool { count == 0 }
    var indices: Range<Int> { Int(start)..<Int(start + count) }
}
