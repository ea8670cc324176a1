extension String {
    /// The text without white space and control characters at its ends; `nil` when nothing is left.
    var visible: String? {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: \.isVisible),
            let last = scalars.lastIndex(where: \.isVisible)
        else { return nil }
        return String(scalars[first...last])
    }

    /// The text with each control character of ASCII and Latin-1 replaced by a space.
    var inOneLine: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
    }
}

extension Unicode.Scalar {
    /// `false` for control characters and spaces of ASCII and Latin-1.
    fileprivate var isVisible: Bool { value > 0x20 && !(0x7F...0xA0).contains(value) }

    fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
