/// The layout of the static descriptions in an image.
///
/// Numbers are offsets in bytes, unless their names or comments say otherwise.
///
/// Sources: include/swift/ABI/Metadata.h, MetadataValues.h, include/swift/RemoteInspection/Records.h, docs/ABI/Mangling.rst.
/// `DescriptorLayoutTests` compares fields, cases and captures with the runtime that the tests run on; a wrong number of another field
/// would give the scenarios of `ScenarioTests` other paths.
enum DescriptorLayout {
    /// Metadata.h: TargetContextDescriptor and below
    enum Context {
        static let flags: UInt = 0
        static let kindMask: UInt32 = 0x1F
        static let classKind: UInt32 = 16
        static let structKind: UInt32 = 17
        static let enumKind: UInt32 = 18
        static let isGenericFlag: UInt32 = 0x80
        /// The version, in bits 8 to 15. Descriptors have had no other version than 0.
        static let versionMask: UInt32 = 0xFF00
        static let moduleKind: UInt32 = 0
        /// The largest kind of a context that is not a type: module, extension, anonymous, protocol and opaque type.
        static let lastOtherKind: UInt32 = 4
        /// MetadataValues.h: TypeContextDescriptorFlags, bit 13 of the upper half.
        static let hasResilientSuperclassFlag: UInt32 = 0x2000_0000
        /// A relative reference to the parent, or with bit 0 set, to a pointer to the parent; null for a module.
        static let parent: UInt = 4
        /// A relative reference to the name, a C string. Only modules and types have a name.
        static let name: UInt = 8
        /// A relative reference to the function that makes the metadata.
        static let accessFunction: UInt = 12
        /// A relative reference to the descriptor of the fields; null without reflection metadata.
        static let fields: UInt = 16
        /// For a class with a resilient superclass: a relative reference to a word with the offset of its generic arguments.
        static let resilientBounds: UInt = 24
        static let positiveSizeInWords: UInt = 28
        static let immediateMembers: UInt = 32
        static let fieldCount: UInt = 36
        /// The bytes of a struct or enum descriptor before the header of generic parameters.
        static let valueBytes: UInt = 28
        /// The bytes of a class descriptor before the header of generic parameters.
        static let classBytes: UInt = 44
        /// The number of arguments in metadata (types and witness tables), in the header of generic parameters.
        static let keyArgumentCount: UInt = 12
    }

    /// Records.h: FieldDescriptor and FieldRecord
    enum Fields {
        static let recordBytes: UInt = 10
        /// The only size that records have had.
        static let knownRecordBytes: UInt = 12
        static let countLimit: UInt32 = 1 << 14
        static let count: UInt = 12
        static let records: UInt = 16
        static let recordFlags: UInt = 0
        static let isIndirectCaseFlag: UInt32 = 1
        static let recordType: UInt = 4
        static let recordName: UInt = 8
    }

    /// Records.h: CaptureDescriptor, CaptureTypeRecord and MetadataSourceRecord
    enum Captures {
        static let captureCountOffset: UInt = 0
        static let sourceCountOffset: UInt = 4
        static let bindingCountOffset: UInt = 8
        static let captureTypesOffset: UInt = 12
        static let captureTypeRecordBytes: UInt = 4
        static let sourceRecordBytes: UInt = 8
        static let sourceNameOffset: UInt = 4
        /// A limit that no program reaches; a larger number is garbage.
        static let countLimit: UInt32 = 256
    }
}
