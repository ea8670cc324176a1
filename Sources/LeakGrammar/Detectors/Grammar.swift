internal import LeakMessage

/// A reader of detectors' texts, which tries the known forms one after another.
struct Grammar {
    /// The content of a text, read by one form.
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
        /// The fixed words after the subject. Redaction keeps these words, so that the redacted text is still read by the same form.
        var tail: [UInt8] = []
        /// The words that end the subject, for forms in which a text that users typed may contain these words too.
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
    static let attemptLimit = 64

    /// Reads a text that ``MessageNormalizer`` has normalized, by the first form that matches. A form that also matches texts of another
    /// form comes after that form.
    func read(_ text: Text) -> FormMatch {
        readListForm(text) ?? stillInMemory(text) ?? deinited(text) ?? omniBase(text) ?? testAssertion(text)
            ?? expectedDeallocation(text) ?? lifetimeTracker(text) ?? pLeakSniffer(text)
            ?? amLeaksFinder(text) ?? breakpoint(text) ?? ribs(text) ?? deallocationChecker(text)
            ?? anyDescription(text)
    }

    /// Reads a text by the forms whose subject is a list of names.
    func readListForm(_ text: Text) -> FormMatch? { memoryLeakList(text) ?? retainCycle(text) }

    // MARK: Parts of several forms

    /// Returns the class of an object that is printed as a description, as an optional, or only by the name of its type.
    func className(of subject: Text) -> String? {
        var subject = subject.trimmed
        while let inner = subject.dropping("Optional(") ?? quotedDescription(subject) {
            subject = inner.trimmed
        }
        guard subject.first == UInt8(ascii: "<") else {
            // A text in quotes is the description of an object, not its class.
            guard !subject.contains(where: PrivateTextRemover.isQuote) else { return nil }
            return TypeName.ifNamed(subject.droppingLast(")") ?? subject, demangle: demangle)?.wholeText
                ?? TypeName.ifNamed(subject, demangle: demangle)?.wholeText
        }
        guard let description = PrintedObject(subject) else {
            return TypeName.ifNamed(subject, demangle: demangle)?.wholeText
        }
        return TypeName.ifNamed(description.name, demangle: demangle)?.wholeText
    }

    /// Returns the text after an opening quote that a description follows; `nil` for any other text.
    private func quotedDescription(_ text: Text) -> Text? {
        guard let inner = text.dropping("\"") ?? text.dropping("@\""),
            inner.trimmed.first == UInt8(ascii: "<")
        else {
            return nil
        }
        return inner
    }

    /// Returns the classes of the descriptions in `text`. Any text may stand between the descriptions.
    func classNames(in text: Text) -> [String] {
        var names: [String] = []
        var remainder = text
        for _ in 0..<Self.attemptLimit where names.count < WireLimits.childrenCount {
            guard let open = remainder.firstIndex(of: UInt8(ascii: "<")) else { break }
            remainder = remainder[open...]
            guard let description = PrintedObject(remainder) else {
                remainder = remainder.dropFirst()
                continue
            }
            if let name = className(of: remainder) { names.append(name) }
            remainder = description.remainder
        }
        return names
    }

    /// Returns the lines that start with 📄, and the description in each. The end of a description with attributes is
    /// not certain, so no further line is read.
    static func pages(_ text: Text) -> [(page: Text, description: PrintedObject)] {
        var pages: [(page: Text, description: PrintedObject)] = []
        for line in text.lines where pages.count < attemptLimit {
            guard let page = line.trimmed.dropping("📄")?.trimmed, let description = PrintedObject(page) else {
                continue
            }
            pages.append((page, description))
            if !description.attributes.isEmpty { break }
        }
        return pages
    }

    // MARK: Unknown forms

    /// Reads the first `<Type: 0xADDRESS>` as the leaked object. A text that consists only of a qualified name is the leaked class.
    private func anyDescription(_ text: Text) -> FormMatch {
        var reading = FormMatch(nil, text)
        reading.livedMilliseconds = ElapsedTimeParser.lastElapsedMilliseconds(in: text)
        if let first = firstDescription(in: text) {
            reading.className =
                ClassGuesser.leakedClass(insteadOf: first, in: text, demangle: demangle) ?? first
            return reading
        }
        if let name = TypeName.ifNamed(text, demangle: demangle),
            looksQualified(Text(name.text)) || name.isUndemangled
        {
            reading.className = name.wholeText
        }
        return reading
    }

    /// Returns the class of the first `<Type: 0xADDRESS>` in a text.
    func firstDescription(in text: Text) -> String? {
        var remainder = text
        // The number of attempts is limited, because a text may consist only of brackets.
        for _ in 0..<Self.attemptLimit {
            guard let open = remainder.firstIndex(of: UInt8(ascii: "<")) else { break }
            remainder = remainder[open...]
            if let description = PrintedObject(remainder),
                remainder[description.name.endIndex...].prefix(8).contains("0x"),
                let name = className(of: remainder)
            {
                return name
            }
            remainder = remainder.dropFirst()
        }
        return nil
    }

    /// Returns `true` for `Shop.Cart`, but not for `example.com`.
    private func looksQualified(_ name: Text) -> Bool {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return name.first?.isUppercase ?? false || name[dot...].dropFirst().first?.isUppercase ?? false
    }
}
