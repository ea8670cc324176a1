#if PostgreSQL
    internal import LeakStore

    /// A value that stands for `$1`, `$2` … in a query, in PostgreSQL's binary form.
    ///
    /// https://www.postgresql.org/docs/15/protocol-overview.html#PROTOCOL-FORMAT-CODES
    struct Parameter {
        let type: ParameterType
        /// `nil` is a null.
        let bytes: [UInt8]?
    }

    /// A type of a parameter. The raw value is PostgreSQL's object id of the type, which is the same on every server
    /// (`pg_type.dat`).
    enum ParameterType: UInt32 {
        case boolean = 16
        case bytes = 17
        case integer = 20
        case text = 25
        case uuid = 2950
        case numerics = 1231
        case texts = 1009
        case byteArrays = 1001
        case integers = 1016
        case uuids = 2951

        /// The object id of the elements' type, for an array type.
        fileprivate var elementObjectID: UInt32 {
            switch self {
            case .texts: Self.text.rawValue
            case .byteArrays: Self.bytes.rawValue
            case .integers: Self.integer.rawValue
            case .uuids: Self.uuid.rawValue
            case .numerics: 1700
            default: rawValue
            }
        }
    }

    extension Parameter {
        init(_ value: StoreValue) {
            switch value {
            case .integer(let number): self = .integer(number)
            case .text(let text): self = .text(text)
            case .bytes(let bytes): self = .bytes(bytes)
            case .id(let id): self = Parameter(type: .uuid, bytes: id.bytes)
            case .texts(let texts): self = .texts(texts.lazy.map(Optional.some))
            case .integers(let numbers): self = .integers(numbers.lazy.map(Optional.some))
            }
        }

        static func integer(_ value: Int64?) -> Parameter {
            Parameter(type: .integer, bytes: value.map { Self.bigEndian($0) })
        }

        static func integer(_ value: Int) -> Parameter { integer(Int64(value)) }

        static func boolean(_ value: Bool) -> Parameter {
            Parameter(type: .boolean, bytes: [value ? 1 : 0])
        }

        static func text(_ value: String?) -> Parameter {
            Parameter(type: .text, bytes: value.map { Self.text($0) })
        }

        static func bytes(_ value: [UInt8]?) -> Parameter { Parameter(type: .bytes, bytes: value) }

        static func integers(_ values: some Sequence<Int64?>) -> Parameter {
            array(.integers, of: values) { Self.append($0, to: &$1) }
        }

        static func integers(_ values: some Sequence<Int>) -> Parameter {
            integers(values.lazy.map { Optional(Int64($0)) })
        }

        static func texts(_ values: some Sequence<String?>) -> Parameter {
            array(.texts, of: values) { $1.append(contentsOf: Self.text($0)) }
        }

        static func byteArrays(_ values: some Sequence<[UInt8]?>) -> Parameter {
            array(.byteArrays, of: values) { $1.append(contentsOf: $0) }
        }

        /// - Parameter values: written as ``BucketCountsNumeric``.
        static func buckets(_ values: some Sequence<BucketCounts?>) -> Parameter {
            array(.numerics, of: values) { $1.append(contentsOf: BucketCountsNumeric.bytes(of: $0)) }
        }

        static func uuids(_ values: some Sequence<LeakID>) -> Parameter {
            optionalUUIDs(values.lazy.map { Optional($0) })
        }

        static func optionalUUIDs(_ values: some Sequence<LeakID?>) -> Parameter {
            array(.uuids, of: values) { $1.append(contentsOf: $0.bytes) }
        }

        /// Returns an array with one dimension, whose first index is 1. Its binary form is the number of dimensions, 1 if nulls
        /// may occur, the element type, the length and the first index. Each element follows after its own length; a null is
        /// only the length -1.
        private static func array<Element>(
            _ type: ParameterType, of values: some Sequence<Element?>,
            _ write: (Element, inout [UInt8]) -> Void
        ) -> Parameter {
            var elements: [UInt8] = []
            elements.reserveCapacity(values.underestimatedCount * 12)
            var count: Int32 = 0
            for value in values {
                count += 1
                let start = elements.count
                append(Int32(-1), to: &elements)
                guard let value else { continue }
                write(value, &elements)
                let length = Int32(clamping: elements.count - start - 4)
                unsafe elements.withUnsafeMutableBytes { bytes in
                    unsafe bytes.storeBytes(of: length.bigEndian, toByteOffset: start, as: Int32.self)
                }
            }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(20 + elements.count)
            append(Int32(count == 0 ? 0 : 1), to: &bytes)
            append(Int32(1), to: &bytes)
            append(type.elementObjectID, to: &bytes)
            if count > 0 {
                append(count, to: &bytes)
                append(Int32(1), to: &bytes)
            }
            return Parameter(type: type, bytes: bytes + elements)
        }

        private static func text(_ value: String) -> [UInt8] { Array(value.storable.utf8) }

        private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
            unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        }

        private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
            var bytes: [UInt8] = []
            append(number, to: &bytes)
            return bytes
        }
    }
#endif
