internal import LeakMessage

/// Forms of detectors' texts, tried one after the other.
struct Grammar {
    /// Result of one form.
    struct FormMatch {
        var detector: DetectorMessage.Detector?
        var event: LeakReport.Event?
        var kind: LeakReport.Kind?
        var className: String?
        var stack: [String] = []
        var children: [String] = []
        var cycle: [String] = []
        var livedMilliseconds: Int?
        var waitedMilliseconds: Int?
        var alive: Int?
        /// The part of the text about the object. Text that users typed can occur in it and after it.
        var subject: Text
        /// The known text after the subject. It is kept, so that the text is still read in the same way when the rest is removed.
        var tail: [UInt8] = []
        /// The end of the subject, if it may also occur in text that users typed.
        var boundary: Text = []
        /// `true` if the subject is a list of names, one string each.
        var isList = false

        init(_ detector: DetectorMessage.Detector?, _ subject: Text) {
            self.detector = detector
            self.subject = subject
        }
    }

    let demangle: (String) -> String?

    /// Limit of the `<` in a text that are tried as the start of a description.
    static let attempts = 64

    /// Reads a text that ``MessageNormalizer`` has prepared. The first form that matches reads it, so a form that also matches texts
    /// of another form comes after it.
    func read(_ text: Text) -> FormMatch {
        list(text) ?? stillInMemory(text) ?? deinited(text) ?? omniBase(text) ?? testAssertion(text)
            ?? expectedDeallocation(text) ?? lifetimeTracker(text) ?? pLeakSniffer(text)
            ?? amLeaksFinder(text) ?? breakpoint(text) ?? ribs(text) ?? deallocationChecker(text)
            ?? anyDescription(text)
    }

    /// The forms whose object is a list of names.
    func list(_ text: Text) -> FormMatch? { memoryLeakList(text) ?? retainCycle(text) }

    // MARK: What forms share

    /// The class of an object that is printed as a description, an optional, or the bare name of its type.
    func className(of subject: Text) -> String? {
        var subject = subject.trimmed
        while let inner = subject.dropping("Optional(") ?? quotedDescription(subject) {
            subject = inner.trimmed
        }
        guard subject.first == UInt8(ascii: "<") else {
            // A text in quotes is the description of an object, not its class.
            guard !subject.contains(where: PrivateText.isQuote) else { return nil }
            return TypeName.ifNamed(subject.droppingLast(")") ?? subject, demangle: demangle)?.wholeText
                ?? TypeName.ifNamed(subject, demangle: demangle)?.wholeText
        }
        guard let description = Description(subject) else {
            return TypeName.ifNamed(subject, demangle: demangle)?.wholeText
        }
        return TypeName.ifNamed(description.name, demangle: demangle)?.wholeText
    }

    /// Returns the text after the quote in front of a description.
    private func quotedDescription(_ text: Text) -> Text? {
        guard let inner = text.dropping("\"") ?? text.dropping("@\""),
            inner.trimmed.first == UInt8(ascii: "<")
        else {
            return nil
        }
        return inner
    }

    /// The descriptions that follow one another in `text`, with anything between them.
    func classNames(in text: Text) -> [String] {
        var names: [String] = []
        var remainder = text
        for _ in 0..<Self.attempts where names.count < WireLimits.childrenCount {
            guard let open = remainder.firstIndex(of: UInt8(ascii: "<")) else { break }
            remainder = remainder[open...]
            guard let description = Description(remainder) else {
                remainder = remainder.dropFirst()
                continue
            }
            if let name = className(of: remainder) { names.append(name) }
            remainder = description.remainder
        }
        return names
    }

    /// Returns the lines that start with 📄, and the description in each. The text after a description with attributes is not
    /// certain, so no further line is read.
    static func pages(_ text: Text) -> [(page: Text, description: Description)] {
        var pages: [(page: Text, description: Description)] = []
        for line in text.lines where pages.count < attempts {
            guard let page = line.trimmed.dropping("📄")?.trimmed, let description = Description(page) else {
                continue
            }
            pages.append((page, description))
            if !description.attributes.isEmpty { break }
        }
        return pages
    }

    // MARK: Unknown forms

    /// Reads the first `<Type: 0xADDRESS>` as the leaked object; so is a text that consists of one qualified name.
    private func anyDescription(_ text: Text) -> FormMatch {
        var reading = FormMatch(nil, text)
        reading.livedMilliseconds = ElapsedTime.milliseconds(afterIn: text)
        if let first = firstDescription(in: text) {
            reading.className = GuessedClass.leaked(insteadOf: first, in: text, demangle: demangle) ?? first
            return reading
        }
        if let name = TypeName.ifNamed(text, demangle: demangle),
            looksQualified(Text(name.text)) || name.isUndemangled
        {
            reading.className = name.wholeText
        }
        return reading
    }

    /// The class of the first `<Type: 0xADDRESS>` in a text.
    func firstDescription(in text: Text) -> String? {
        var remainder = text
        // Limited, because a text may consist of brackets only.
        for _ in 0..<Self.attempts {
            guard let open = remainder.firstIndex(of: UInt8(ascii: "<")) else { break }
            remainder = remainder[open...]
            if let description = Description(remainder),
                remainder[description.name.endIndex...].prefix(8).contains("0x"),
                let name = className(of: remainder)
            {
                return name
            }
            remainder = remainder.dropFirst()
        }
        return nil
    }

    /// `Shop.Cart`, not `example.com`.
    private func looksQualified(_ name: Text) -> Bool {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return name.first?.isUppercase ?? false || name[dot...].dropFirst().first?.isUppercase ?? false
    }
}
