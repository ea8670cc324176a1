internal import LeakMessage

/// A filter of messages. It removes text that users typed or read. The result is still read as the same message.
///
/// A message without such text stays unchanged. Any other message keeps only the parts that its form guarantees: the words in front
/// of the object, the object, and ``Grammar/FormMatch/tail``.
enum MessageRedactor {
    /// Limit of rounds for one text. Texts of detectors do not change after the second round.
    static let roundLimit = 8

    /// Returns the part of a text that redaction keeps. All other functions read only this part.
    ///
    /// If quotes and brackets do not match, the result of a removal may be read in another way, so that more has to be removed. So the
    /// removal is repeated until nothing changes. A text that still changes after the last round becomes `…`.
    ///
    /// - Parameter text: a text that ``MessageNormalizer`` has normalized.
    static func kept(of text: Text, rounds: Int = roundLimit) -> MessageNormalizer.FramedMessage {
        // A sample is cut to the limit of the wire format. The original text is cut too, so that both are read in the same way.
        var kept = MessageNormalizer.framed(text.cut(to: WireLimits.messageBytes).trimmed)
        for _ in 0..<rounds {
            let redacted = redacted(kept).cut(to: WireLimits.messageBytes)
            if redacted == kept.text { return kept }
            // The redacted text is read like a text that arrives.
            kept = MessageNormalizer.framed(MessageNormalizer.plain(redacted.string))
        }
        return MessageNormalizer.framed(Text("…"))
    }

    private static func redacted(_ framed: MessageNormalizer.FramedMessage) -> Text {
        let message = framed.message
        let grammar = Grammar(demangle: { _ in nil })
        let list = grammar.readListForm(message)
        var result = Array(framed.head)
        let sets = MessageSplitter.cycles(in: message)
        if sets.count > 1 {
            result.append(contentsOf: Array("Retain cycles: {(".utf8))
            for set in sets {
                let reading = grammar.read(set)
                guard reading.isList else { continue }
                result.append(contentsOf: Array("(".utf8) + redactedList(reading.subject) + Array(",".utf8))
            }
            result.append(contentsOf: Array(")}".utf8))
        } else if let json = JSONMessage(message, demangle: { _ in nil }) {
            result.append(contentsOf: json.head + json.redacted + json.tail)
        } else if list == nil, isPlain(message) {
            result.append(contentsOf: message)
        } else {
            let reading = list ?? grammar.read(message)
            // The words before the object are usually a name, but a later version of the detector may print a description
            // there.
            result.append(
                contentsOf: PrivateTextRemover.removed(
                    from: message[..<reading.subject.startIndex], keepsQuotations: true))
            result.append(contentsOf: redactedSubject(of: reading, in: message))
            result.append(contentsOf: reading.tail)
        }
        result.append(contentsOf: repeatElement(UInt8(ascii: "'"), count: framed.closingQuoteCount))
        return result[...].trimmed
    }

    /// Returns the part about the object, redacted.
    private static func redactedSubject(of reading: Grammar.FormMatch, in message: Text) -> [UInt8] {
        if reading.isList { return redactedList(reading.subject) }
        guard !reading.boundary.isEmpty else { return redactedDescription(reading.subject) }
        // A boundary between quotes does not end the subject, so quotations are removed first.
        let whole = PrivateTextRemover.removed(from: message[reading.subject.startIndex...])[...]
        return Array(whole[..<(whole.firstRange(of: reading.boundary)?.lowerBound ?? whole.endIndex)])
    }

    private static func isPlain(_ text: Text) -> Bool {
        PrivateTextRemover.removed(from: text)[...] == text
    }

    /// Applies `step` until the value no longer changes.
    ///
    /// - Returns: `nil` if the value still changes in the last round. This happens only for texts that were constructed to cause it.
    static func fixedPoint<Value: Equatable>(
        _ value: Value, rounds: Int = roundLimit, by step: (Value) -> Value
    ) -> Value? {
        var value = value
        for _ in 0..<rounds {
            let next = step(value)
            if next == value { return value }
            value = next
        }
        return nil
    }

    /// Redacts a name in a field of a report. The class and the address of a description stay. Quotes may only enclose the whole name;
    /// text in other quotes is removed.
    static func redactedName(_ raw: Text) -> Text { fixedPoint(raw, by: redactedNameOnce) ?? Text("…") }

    private static func redactedNameOnce(_ raw: Text) -> Text {
        guard raw.contains(where: isMark) else { return raw }
        let name = TypeNameCleaner.withoutWrapping(raw)
        if let description = PrintedObject(name) {
            guard description.attributes.isEmpty else { return PrivateTextRemover.removed(from: name)[...] }
            if description.remainder.isEmpty { return raw }
        }
        let removed = PrivateTextRemover.removed(from: name)[...]
        return removed == name ? raw : removed
    }

    static func redactedName(_ raw: String) -> String {
        mayChange(raw) ? redactedName(Text(raw)).string : raw
    }

    /// Returns `false` for names that ``redactedName(_:)-(String)`` certainly leaves unchanged.
    static func mayChange(_ name: String) -> Bool { name.utf8.contains(where: isMark) }

    /// Returns `true` for a byte that may begin a description or a quotation.
    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "<") || PrivateTextRemover.isQuote(byte)
    }

    /// Redacts the part about one object.
    private static func redactedDescription(_ subject: Text) -> [UInt8] {
        // The title, message and buttons of an alert. Formatting may have removed the quotes around these texts.
        if let alert = startOfAlertText(in: subject),
            !subject[..<alert].contains(where: PrivateTextRemover.isQuote)
        {
            return redactedDescription(subject[..<alert].trimmed) + Array("\ntitle: \"…\"".utf8)
        }
        guard let description = PrintedObject(subject), description.attributes.isEmpty else {
            return PrivateTextRemover.removed(from: subject)
        }
        let remainder = description.remainder
        let head = Array(subject[..<remainder.startIndex])
        if remainder.starts(with: ":\n[") { return head + redactedChildren(remainder) }
        if remainder.trimmed.starts(with: "📄") { return head + redactedPages(remainder) }
        return head + PrivateTextRemover.removed(from: remainder)
    }

    /// Returns the start of the first line that only descriptions of alerts have, such as `title: `, not counting the first
    /// line of the text; `nil` if there is none.
    private static func startOfAlertText(in subject: Text) -> Int? {
        var start = subject.startIndex
        for line in subject.lines {
            let words = line.drop { $0 == UInt8(ascii: " ") }
            let marks: [StaticString] = ["title: ", "message: ", "actions: ", "textfields: "]
            if start > subject.startIndex, marks.contains(where: { words.starts(with: $0) }) { return start }
            start = line.endIndex + 1
        }
        return nil
    }

    /// Returns the descriptions in a list of children, without their attributes.
    private static func redactedChildren(_ list: Text) -> [UInt8] {
        var result = Array(":\n[".utf8)
        var remainder = list
        for _ in 0..<Grammar.attemptLimit {
            guard let open = remainder.firstIndex(of: UInt8(ascii: "<")) else { break }
            remainder = remainder[open...]
            guard let description = PrintedObject(remainder) else {
                remainder = remainder.dropFirst()
                continue
            }
            if result.last == UInt8(ascii: ">") { result.append(contentsOf: Array(", ".utf8)) }
            result.append(contentsOf: withoutAttributes(description, in: remainder))
            remainder = description.remainder
        }
        return result + [UInt8(ascii: "]")]
    }

    /// Returns the descriptions of children that are on separate lines, without their attributes.
    private static func redactedPages(_ text: Text) -> [UInt8] {
        var result: [UInt8] = []
        for (page, description) in Grammar.pages(text) {
            result.append(contentsOf: Array("\n📄 ".utf8))
            result.append(contentsOf: withoutAttributes(description, in: page))
        }
        return result
    }

    private static func withoutAttributes(_ description: PrintedObject, in text: Text) -> [UInt8] {
        let end = description.attributes.isEmpty ? description.remainder : description.attributes
        let object = text[..<end.startIndex]
        // A description at the end of a text that was cut has no closing bracket.
        return object.last == UInt8(ascii: ">") ? Array(object) : object + [UInt8(ascii: ">")]
    }

    /// Returns the list up to its closing bracket. `…` replaces each element that can be neither a type nor a path of fields,
    /// or that readers of the list ignore. The quoted name of the type replaces an element with a type and more text about an
    /// object.
    private static func redactedList(_ text: Text) -> [UInt8] {
        var result: [UInt8] = []
        var last = text.startIndex
        let elements = PropertyListReader.elements(of: text)
        for (index, element) in elements.enumerated() {
            // White space and commas.
            result.append(contentsOf: text[last..<element.source.startIndex])
            last = element.source.endIndex
            // Readers of the list ignore elements outside of these limits, too.
            let isRead = index < WireLimits.cycleCount || index >= elements.count - WireLimits.stackCount
            if isRead, isPath(element.string[...]) {
                result.append(contentsOf: element.source)
            } else {
                let isQuoted = element.source.first == UInt8(ascii: "\"")
                let shown = isRead ? redactedTypeName(ofListElement: element.string[...]) : nil
                result.append(contentsOf: shown ?? Array((isQuoted ? "\"…\"" : "…").utf8))
            }
        }
        let end = text[last...].firstIndex(of: UInt8(ascii: ")"))
        return result + text[last..<(end.map { $0 + 1 } ?? last)]
    }

    /// Returns the type name, redacted and in quotes, of a list element that names a type and has more text about an object;
    /// `nil` for any other element.
    private static func redactedTypeName(ofListElement string: Text) -> [UInt8]? {
        let raw = Grammar.withoutPropertyName(string)
        guard TypeName.ifNamed(raw, demangle: { _ in nil }) != nil else { return nil }
        let name = TypeNameCleaner.withoutWrapping(redactedName(raw))
        guard name.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
            return nil
        }
        return [UInt8(ascii: "\"")] + name + [UInt8(ascii: "\"")]
    }

    /// Returns `true` for a path such as `-> name -> Class ` whose parts are all names.
    private static func isPath(_ string: Text) -> Bool {
        var remainder = string
        while let arrow = remainder.firstRange(of: "-> ") {
            guard isName(remainder[..<arrow.lowerBound].trimmed) else { return false }
            remainder = remainder[arrow.upperBound...]
        }
        return isName(remainder.trimmed)
    }

    private static func isName(_ text: Text) -> Bool {
        let marks = Array("<>()[]{}.,:-+*?".utf8)
        if text.allSatisfy({ $0.isIdentifier || marks.contains($0) }) { return !text.equals("…") }
        return isPlain(text)
            && TypeName.ifNamed(Grammar.withoutPropertyName(text), demangle: { _ in nil }) != nil
    }
}
