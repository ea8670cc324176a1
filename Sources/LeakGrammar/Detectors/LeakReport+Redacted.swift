package import LeakMessage

extension LeakReport {
    /// Returns the report as a sample may be kept: without text that users typed or read, wherever a detector or a sender may have
    /// put it.
    ///
    /// It is still a report of the same leak. Custom keys, breadcrumbs, the reason and the fingerprint are the app's own words:
    /// only text inside descriptions of objects is removed from them, such as `text = 'Jane'` after `<UILabel: 0x1f;`.
    ///
    /// - Parameter keepsUserInfo: `true` keeps the whole `userInfo` of the error, if its owner allowed that. Otherwise only its
    ///   description is kept, redacted.
    package func redacted(keepsUserInfo: Bool = false) -> LeakReport {
        var report = withLeakRedacted()
        report.reason = reason.map(Self.words)
        report.log = log.map(Self.words)
        report.fingerprint = fingerprint.map(Self.words)
        report.keys = keys.map { key in
            let name = Self.words(key.name)
            guard case .string(let text) = key.value else { return CustomKey(name, key.value) }
            return CustomKey(name, .string(Self.words(text)))
        }
        if !keepsUserInfo {
            report.error?.userInfo.removeAll { key in
                guard case .string = key.value else { return true }
                return key.name != ReportedError.descriptionKey
            }
        }
        return report
    }

    /// Returns the report with the fields redacted that identify the leak.
    ///
    /// Redacting it again changes nothing.
    package func withLeakRedacted() -> LeakReport {
        var report = self
        report.message = message.map(DetectorMessage.redacted)
        report.className = className.map(Redaction.name)
        report.stack = CallStack.redacted(stack)
        report.children = children.map(Redaction.name)
        report.cycle = cycle.map(Redaction.name)
        for (index, key) in (error?.userInfo ?? []).enumerated()
        where key.name == ReportedError.descriptionKey {
            guard case .string(let text) = key.value else { continue }
            report.error?.userInfo[index].value = .string(DetectorMessage.redacted(text))
        }
        return report
    }

    /// Returns the report as it may leave a device: ``redacted(keepsUserInfo:)``, with other text masked that may name a person.
    ///
    /// Masks the message, names, the domain of an error, its description and everything else in `userInfo`, and the names of custom
    /// keys. Values of custom keys, breadcrumbs, reason and fingerprint lose only the content of descriptions of objects in them,
    /// since they are the app's own words. Facts of the leak that the masked text no longer states are kept in fields of their own.
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
        // After the texts, because masking a text may have set these.
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

    /// Masks a text that was redacted.
    ///
    /// - Parameter isRead: `true` if fields of the leak that the report leaves empty are read from the text.
    private mutating func masked(_ text: String, isRead: Bool) -> String {
        let bytes = Text(text)
        let masked = PersonalData.masked(bytes)
        guard masked != bytes else { return text }
        // Texts are cut to this length when they are sent, and have to be masked as the collector will read them.
        let first = masked.cut(to: WireLimits.messageBytes).trimmed
        // Zeros in place of digits do not change the form of a text, so it need not be redacted again.
        let fixedPoint =
            Self.differInDigitsAlone(masked, bytes)
            ? masked
            : Redaction.fixedPoint(first) {
                PersonalData.masked(DetectorMessage.redactedAgain($0)).cut(to: WireLimits.messageBytes)
                    .trimmed
            }
        let result = fixedPoint?.string ?? "…"
        if isRead {
            let before = DetectorMessage(text)
            if !before.isSameLeak(as: DetectorMessage(result)) { fill(from: before) }
        }
        return result
    }

    private static func differInDigitsAlone(_ one: Text, _ other: Text) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { $0 == $1 || $0.isDigit && $1.isDigit }
    }

    /// Sets the fields that are still empty from the content of a text.
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

    /// Returns a name without personal data: `UILabel text=…`. Call frames contain no personal data.
    private static func maskedName(_ name: String, within bytes: Int) -> String {
        guard PersonalData.mayChange(name: name) else { return name }
        let text = Text(name)
        let masked = PersonalData.masked(text)
        guard masked != text, !isQuotedName(text), CallFrame(name) == nil else { return name }
        let fixedPoint = Redaction.fixedPoint(masked.cut(to: bytes)) {
            PersonalData.masked(Redaction.name($0)).cut(to: bytes)
        }
        return fixedPoint?.string ?? "…"
    }

    /// `“Shop.Cart”`
    private static func isQuotedName(_ text: Text) -> Bool {
        guard let name = text.dropping("“")?.droppingLast("”") else { return false }
        return name.allSatisfy { $0 < 0x80 && ($0.isIdentifier || ".<>,".utf8.contains($0)) }
    }

    /// Masks a text that says nothing about the leak: texts of users, and text that may name a person.
    private static func maskedText(_ text: String, within bytes: Int) -> String {
        // Most names need no masking.
        if text.utf8.allSatisfy({ $0.isLetter || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }) {
            return text
        }
        let fixedPoint = Redaction.fixedPoint(Text(text)) {
            PersonalData.masked(PrivateText.removed(from: $0)[...]).cut(to: bytes)
        }
        return fixedPoint?.string ?? "…"
    }

    /// Keys of `userInfo` whose value is the path of a file.
    private static let pathKeys: Set<String> = [
        "NSFilePath", "NSSourceFilePathErrorKey", "NSDestinationFilePath", "NSFileOriginalItemLocationKey",
        "NSFileNewItemLocationKey",
    ]

    /// Masks an entry of `userInfo`: the whole value of a ``SensitiveKey`` and of a file's path, parts of other texts.
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

    /// Keeps the first of several keys to which masking gave the same name, which has a `…` or zeros then.
    private static func withoutRepeatedNames(_ keys: [CustomKey]) -> [CustomKey] {
        guard keys.contains(where: { $0.name.utf8.contains { $0 >= 0x80 || $0 == UInt8(ascii: "0") } }) else {
            return keys
        }
        var names: Set<String> = []
        return keys.filter { names.insert($0.name).inserted }
    }

    /// Returns the app's own words, without the content of descriptions of objects in them.
    package static func words(_ text: String) -> String {
        guard Redaction.mayChange(text) else { return text }
        return PrivateText.removed(from: Text(text), keepsQuotations: true)[...].string
    }
}
