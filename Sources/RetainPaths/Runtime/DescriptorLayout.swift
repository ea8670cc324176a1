/// Facts about the static descriptions in an image.
///
/// Sources: include/swift/ABI/Metadata.h, MetadataValues.h, include/swift/RemoteInspection/Records.h, docs/ABI/Mangling.rst.
/// `DescriptorLayoutTests` compares each with the runtime that the tests run on.
enum DescriptorLayout {
    /// Metadata.h: TargetContextDescriptor and below
    enum Context {
        static let flags: UInt = 0
        static let kindMask: UInt32 = 0x1F
        static let classKind: UInt32 = 16
        static let structKind: UInt32 = 17
        static let enumKind: UInt32 = 18
        static let isGeneric: UInt32 = 0x80
        /// MetadataValues.h: TypeContextDescriptorFlags, bit 13 of the upper half.
        static let hasResilientSuperclass: UInt32 = 0x2000_0000
        /// Relative to the record of the fields; null without reflection metadata.
        static let fields: UInt = 16
        /// For a class with a resilient superclass: relative to a word with the offset of its generic arguments.
        static let resilientBounds: UInt = 24
        static let negativeSizeInWords: UInt = 24
        static let positiveSizeInWords: UInt = 28
        static let immediateMembers: UInt = 32
        static let fieldCount: UInt = 36
    }

    /// Records.h: FieldDescriptor and FieldRecord
    enum Fields {
        static let recordBytes: UInt = 10
        static let count: UInt = 12
        static let records: UInt = 16
        static let recordFlags: UInt = 0
        static let isIndirectCase: UInt32 = 1
        static let recordType: UInt = 4
        static let recordName: UInt = 8
    }

    /// Records.h: CaptureDescriptor, CaptureTypeRecord and MetadataSourceRecord
    enum Captures {
        static let captureCount: UInt = 0
        static let sourceCount: UInt = 4
        static let bindingCount: UInt = 8
        static let captureTypes: UInt = 12
        static let captureTypeBytes: UInt = 4
        static let sourceBytes: UInt = 8
        static let sourceName: UInt = 4
        /// More than any program has; garbage is larger.
        static let countLimit: UInt32 = 256
    }
}
