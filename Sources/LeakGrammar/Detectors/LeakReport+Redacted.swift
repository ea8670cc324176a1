package import LeakMessage

extension LeakReport {
    /// Returns the report in the form in which a sample may be stored: without text that users typed or read, in any field.
    ///
    /// The result is still a report of the same leak. Custom keys, breadcrumbs, the reason and the fingerprint are texts of the app, so
    /// only text inside descriptions of objects is removed from them, such as `text = 'Jane'` after `<UILabel: 0x1f;`.
    ///
    /// - Parameter keepsUserInfo: `true` keeps the whole `userInfo` of the error. `false` keeps only the redacted description.
    package func redacted(keepsUserInfo: Bool = false) -> LeakReport {
        var report = withLeakRedacted()
        report.reason = reason.map(Self.withoutDescriptionContent)
        report.log = log.map(Self.withoutDescriptionContent)
        report.fingerprint = fingerprint.map(Self.withoutDescriptionContent)
        report.explanation = explanation?.redacted
        report.keys = keys.map { key in
            let name = Self.withoutDescriptionContent(key.name)
            guard case .string(let text) = key.value else { return CustomKey(name, key.value) }
            return CustomKey(name, .string(Self.withoutDescriptionContent(text)))
        }
        if !keepsUserInfo {
            report.error?.userInfo.removeAll { key in
                guard case .string = key.value else { return true }
                return key.name != ReportedError.descriptionKey
            }
        }
        return report
    }

    /// Returns the report with redacted text in the fields that identify the leak.
    ///
    /// A second call changes nothing.
    package func withLeakRedacted() -> LeakReport {
        var report = self
        report.message = message.map(DetectorMessage.redacted)
        report.className = className.map(MessageRedactor.redactedName)
        report.stack = CallStack.redacted(stack)
        report.children = children.map(MessageRedactor.redactedName)
        report.cycle = cycle.map(MessageRedactor.redactedName)
        if let error { report.error?.domain = MessageRedactor.redactedName(error.domain) }
        for (index, key) in (error?.userInfo ?? []).enumerated()
        where key.name == ReportedError.descriptionKey {
            guard case .string(let text) = key.value else { continue }
            report.error?.userInfo[index].value = .string(DetectorMessage.redacted(text))
        }
        return report
    }

    /// Returns the report in the form in which it may leave a device: the result of ``redacted(keepsUserInfo:)`` with masked
    /// personal data.
    ///
    /// Masks personal data in the message, names, the domain of an error, its description and everything else in `userInfo`, and the
    /// names of custom keys. Values of custom keys, breadcrumbs, reason and fingerprint are texts of the app, so they lose only the
    /// content of descriptions of objects. If the masked text no longer states the class or another fact of the leak, a field of the
    /// report gets this fact.
    ///
    /// A second call changes nothing.
    package func redactedForSending() -> LeakReport {
        var report = redacted(keepsUserInfo: true)
        let isErrorRead = message?.isEmpty ?? true
        if let text = report.message { report.message = report.masked(text, isRead: true) }
        if var error = report.error {
            error.domain = Self.maskedText(error.domain, within: WireLimits.errorDomainBytes)
            let userInfo = error.userInfo.map { key in
                guard key.name == ReportedError.descriptionKey, case .string(let text) = key.value else {
                    return Self.masked(key)
                }
                return CustomKey(key.name, .string(report.masked(text, isRead: isErrorRead)))
            }
            error.userInfo = Self.withoutRepeatedNames(userInfo)
            report.error = error
        }
        // These fields are masked after the texts, because masking a text may have set them.
        report.className = report.className.map { Self.maskedName($0, within: WireLimits.classBytes) }
        for names in [\LeakReport.stack, \.children, \.cycle] {
            report[keyPath: names] = report[keyPath: names].map {
                Self.maskedName($0, within: WireLimits.elementBytes)
            }
        }
        report.keys = Self.withoutRepeatedNames(
            report.keys.map { CustomKey(Self.maskedText($0.name, within: WireLimits.keyBytes), $0.value) })
        return report
    }

    /// Masks personal data in a redacted text.
    ///
    /// - Parameter isRead: `true` if the collector reads missing fields of the report from this text.
    private mutating func masked(_ text: String, isRead: Bool) -> String {
        let bytes = Text(text)
        let masked = PersonalDataMasker.masked(bytes)
        guard masked != bytes else { return text }
        // Texts are cut to this length when they are sent. Masking has to work on the text that the collector will read.
        let cutText = masked.cut(to: WireLimits.messageBytes).trimmed
        // Zeros in place of digits do not change the form of a text, so it need not be redacted again.
        let fixedPoint =
            Self.differInDigitsAlone(masked, bytes)
            ? masked
            : MessageRedactor.fixedPoint(cutText) {
                PersonalDataMasker.masked(DetectorMessage.redactedAgain($0)).cut(to: WireLimits.messageBytes)
                    .trimmed
            }
        let result = fixedPoint?.string ?? "…"
        if isRead {
            let original = DetectorMessage(text)
            if !original.isSameLeak(as: DetectorMessage(result)) { fill(from: original) }
        }
        return result
    }

    private static func differInDigitsAlone(_ one: Text, _ other: Text) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { $0 == $1 || $0.isDigit && $1.isDigit }
    }

    /// Sets empty fields from the content of a text.
    package mutating func fill(from text: DetectorMessage) {
        if className?.isEmpty ?? true, let name = text.wholeNames.className {
            className = name
            if stack.isEmpty { stack = text.wholeNames.stack }
            if children.isEmpty { children = text.wholeNames.children }
        }
        if cycle.isEmpty { cycle = text.wholeNames.cycle }
        event = event ?? text.event
        kind = kind ?? text.kind
        livedMilliseconds = livedMilliseconds ?? text.livedMilliseconds
        waitedMilliseconds = waitedMilliseconds ?? text.waitedMilliseconds
        alive = alive ?? text.alive
    }

    /// Returns a name with masked personal data, such as `UILabel text=…`. Call frames contain no personal data, so they stay unchanged.
    private static func maskedName(_ name: String, within bytes: Int) -> String {
        guard PersonalDataMasker.mayChange(name: name) else { return name }
        let text = Text(name)
        let masked = PersonalDataMasker.masked(text)
        guard masked != text, !isQuotedName(text), CallFrame(name) == nil else { return name }
        let fixedPoint = MessageRedactor.fixedPoint(masked.cut(to: bytes)) {
            PersonalDataMasker.masked(MessageRedactor.redactedName($0)).cut(to: bytes)
        }
        return fixedPoint?.string ?? "…"
    }

    /// Returns `true` for a name in curly quotes, such as `“Shop.Cart”`.
    private static func isQuotedName(_ text: Text) -> Bool {
        guard let name = text.dropping("“")?.droppingLast("”") else { return false }
        return name.allSatisfy { $0 < 0x80 && ($0.isIdentifier || ".<>,".utf8.contains($0)) }
    }

    /// Masks a text that does not identify the leak: text of users and personal data become `…`.
    private static func maskedText(_ text: String, within bytes: Int) -> String {
        // Most names need no masking.
        if text.utf8.allSatisfy({ $0.isLetter || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }) {
            return text
        }
        let fixedPoint = MessageRedactor.fixedPoint(Text(text)) {
            PersonalDataMasker.masked(PrivateTextRemover.removed(from: $0)[...]).cut(to: bytes)
        }
        return fixedPoint?.string ?? "…"
    }

    /// Keys of `userInfo` whose value is the path of a file.
    private static let pathKeys: Set<String> = [
        "NSFilePath", "NSSourceFilePathErrorKey", "NSDestinationFilePath", "NSFileOriginalItemLocationKey",
        "NSFileNewItemLocationKey",
    ]

    /// Masks an entry of `userInfo`. The value of a ``SensitiveKey`` and the path of a file are masked whole, other texts in part.
    private static func masked(_ key: CustomKey) -> CustomKey {
        let name = maskedText(key.name, within: WireLimits.keyBytes)
        let isSensitive = pathKeys.contains(key.name) || isSensitive(key.name) || isSensitive(name)
        return switch key.value {
        case .boolean: CustomKey(name, key.value)
        case _ where isSensitive: CustomKey(name, .string("…"))
        case .number: CustomKey(name, key.value)
        case .string(let text): CustomKey(name, .string(maskedText(text, within: WireLimits.userInfoBytes)))
        }
    }

    private static func isSensitive(_ name: String) -> Bool {
        SensitiveKey.find(Text(name), isAssignment: true).map { $0.separator != .inAlert } ?? false
    }

    /// Keeps the first of several keys that have the same name after masking. Such a name contains `…` or zeros.
    private static func withoutRepeatedNames(_ keys: [CustomKey]) -> [CustomKey] {
        guard keys.contains(where: { $0.name.utf8.contains { $0 >= 0x80 || $0 == UInt8(ascii: "0") } }) else {
            return keys
        }
        var names: Set<String> = []
        return keys.filter { names.insert($0.name).inserted }
    }

    /// Returns a text of the app without the content of descriptions of objects.
    package static func withoutDescriptionContent(_ text: String) -> String {
        guard MessageRedactor.mayChange(text) else { return text }
        return PrivateTextRemover.removed(from: Text(text), keepsQuotations: true)[...].string
    }
}

extension RetainExplanation {
    /// The explanation with redacted names of its references. A second call changes nothing.
    package var redacted: RetainExplanation {
        var explanation = self
        explanation.path = path?.redacted
        explanation.furtherCycles = furtherCycles.map(\.redacted)
        return explanation
    }
}

extension RetainPath {
    fileprivate var redacted: RetainPath {
        var path = self
        path.target = MessageRedactor.redactedName(target)
        for index in references.indices {
            path.references[index].owner = MessageRedactor.redactedName(references[index].owner)
            path.references[index].field = MessageRedactor.redactedName(references[index].field)
        }
        return path
    }
}
