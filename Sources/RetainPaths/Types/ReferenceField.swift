/// The words of a value that can hold a strong reference.
struct ReferenceField {
    enum Kind: UInt8 {
        /// One word: a class instance, a box or storage. Null holds nothing.
        case strong
        /// One word: storage that holds no references itself, such as the buffer of `[UInt8]`.
        case storage
        /// Two words: a function and its context.
        case function
        /// One word: a block.
        case block
        /// `String`: the second word is its storage, unless it is small or static.
        case string
        /// A container of `any P` or `Any`: three words, then the type.
        case existential
        /// An enum whose case has to be computed; `detail` is the index of its ``EnumLayout``.
        case enumeration
        /// `detail` bytes of unknown contents: noncopyable fields, which reflection does not describe.
        case unknownWords
    }

    var kind: Kind
    /// The offset from the start of the value, in bytes.
    var offset: Int32
    /// The property that leads here, by its number in ``Labels``.
    var label: Int32
    /// An additional number, whose meaning depends on ``kind``; 0 if the kind needs none.
    var detail: Int32 = 0

    func moved(by distance: Int, label: Int32) -> ReferenceField {
        ReferenceField(
            kind: kind, offset: offset &+ Int32(truncatingIfNeeded: distance), label: label, detail: detail)
    }
}

/// The size and the reference fields of a type's values.
struct ValueLayout {
    var size = 0
    var stride = 0
    var alignment = 1
    var referenceFields = ReferenceFieldRange.empty
    /// `true` if a value is a reference to an object of a class.
    var isClass = false
    /// `true` if an existential container holds the value itself and not a pointer to a box.
    var isInline = true
}

/// The names of properties, each stored once and numbered, so that an edge needs four bytes for its label.
struct Labels {
    /// The maximum number of labels; further labels are left empty. A program has some thousands of properties.
    private static let limit = 1 << 18

    private var texts = [""]
    private var numbers: [String: Int32] = ["": 0]
    /// The numbers of joined labels, by the pair of numbers of their parts.
    private var joinedNumbers: [UInt64: Int32] = [:]

    func text(_ number: Int32) -> String { texts[Int(number)] }

    mutating func number(of text: String) -> Int32 {
        if let number = numbers[text] { return number }
        guard texts.count < Self.limit else { return 0 }
        let number = Int32(texts.count)
        texts.append(text)
        numbers[text] = number
        return number
    }

    /// Returns the label of a property inside a property, such as `inner.deep`. Cases of enums have no dot: `state(.loaded)`.
    mutating func join(_ outer: Int32, _ inner: Int32) -> Int32 {
        if outer == 0 { return inner }
        if inner == 0 { return outer }
        let pair = UInt64(UInt32(bitPattern: outer)) << 32 | UInt64(UInt32(bitPattern: inner))
        if let number = joinedNumbers[pair] { return number }
        let text = text(inner)
        let number = number(of: self.text(outer) + (text.hasPrefix("(") ? "" : ".") + text)
        joinedNumbers[pair] = number
        return number
    }
}
