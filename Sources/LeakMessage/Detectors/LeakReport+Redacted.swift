extension LeakReport {
    /// The report as a sample may be kept: without what users typed or read, wherever a detector or a sender may have put
    /// it.
    ///
    /// It is still a report of the same leak. Custom keys, breadcrumbs, the reason and the fingerprint are the app's own
    /// words: of them only goes what stands in descriptions of objects, such as `text = 'Jane'` behind
    /// `<UILabel: 0x1f;`.
    ///
    /// - Parameter keepsUserInfo: keeps the error's `userInfo` whole, which its owner allowed; else its description
    ///   alone is kept, redacted.
    public func redacted(keepsUserInfo: Bool = false) -> LeakReport {
        var report = withLeakRedacted()
        report.reason = reason.map(Self.words)
        report.log = log.map(Self.words)
        report.fingerprint = fingerprint.map(Self.words)
        report.keys = keys.map { key in
            guard case .string(let text) = key.value else { return key }
            return CustomKey(key.name, .string(Self.words(text)))
        }
        if !keepsUserInfo {
            report.error?.userInfo.removeAll { key in
                guard case .string = key.value else { return true }
                return key.name != ReportedError.descriptionKey
            }
        }
        return report
    }

    /// The report with those fields redacted that tell which leak it is a sighting of.
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

    /// The report as it may leave a device: ``redacted(keepsUserInfo:)``, and what else may name a person masked in its texts.
    ///
    /// Masks the message, and of an error the description and every other text in `userInfo`. Custom keys, breadcrumbs, reason
    /// and fingerprint lose what descriptions of objects in them say, and nothing more: they are the app's own words. What the
    /// text said of the leak is kept in fields of its own where the masked text would no longer say it.
    package func redactedForSending() -> LeakReport {
        var report = redacted(keepsUserInfo: true)
        report.className = report.className.map(Self.maskedName)
        for names in [\LeakReport.stack, \.children, \.cycle] {
            report[keyPath: names] = report[keyPath: names].map(Self.maskedName)
        }
        let isErrorRead = message?.isEmpty ?? true
        if let text = report.message { report.message = report.masked(text, isRead: true) }
        for (index, key) in (report.error?.userInfo ?? []).enumerated() {
            guard case .string(let text) = key.value else { continue }
            let masked =
                if key.name == ReportedError.descriptionKey {
                    report.masked(text, isRead: isErrorRead)
                } else {
                    Self.maskedValue(text, of: key.name)
                }
            report.error?.userInfo[index].value = .string(masked)
        }
        return report
    }

    /// Masks a text that was redacted.
    ///
    /// - Parameter isRead: whether the text decides about the leak where the report's fields leave it open.
    private mutating func masked(_ text: String, isRead: Bool) -> String {
        let bytes = Text(text)
        let masked = PersonalData.masked(bytes)
        guard masked != bytes else { return text }
        let result = masked.string
        if isRead {
            let before = DetectorMessage(text)
            if !before.isSameLeak(as: DetectorMessage(result)) { fill(from: before) }
        }
        return result
    }

    /// Sets the fields that are open to what a text said.
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

    /// A name without the value of an attribute: `UILabel text=…`. Names of types and functions have none.
    private static func maskedName(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "=")), CallFrame(name) == nil else { return name }
        return PersonalData.masked(Text(name)).string
    }

    /// Keys of `userInfo` whose value is the path of a file.
    private static let pathKeys: Set<String> = [
        "NSFilePath", "NSSourceFilePathErrorKey", "NSDestinationFilePath", "NSFileOriginalItemLocationKey",
        "NSFileNewItemLocationKey",
    ]

    private static func maskedValue(_ text: String, of name: String) -> String {
        if pathKeys.contains(name) { return "…" }
        return PersonalData.masked(PrivateText.removed(from: Text(text))[...]).string
    }

    /// The app's own words, without what descriptions in them say of their objects.
    public static func words(_ text: String) -> String {
        PrivateText.removed(from: Text(text), keepsQuotations: true)[...].string
    }
}
