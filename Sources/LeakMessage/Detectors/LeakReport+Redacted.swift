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
        var report = self
        report.message = message.map(DetectorMessage.redacted)
        report.className = className.map(Self.name)
        report.stack = stack.map(Self.name)
        report.children = children.map(Self.name)
        report.cycle = cycle.map(Self.name)
        report.reason = reason.map(Self.words)
        report.log = log.map(Self.words)
        report.fingerprint = fingerprint.map(Self.words)
        report.keys = keys.map { key in
            guard case .string(let text) = key.value else { return key }
            return CustomKey(key.name, .string(Self.words(text)))
        }
        report.error?.userInfo = (error?.userInfo ?? []).compactMap { key in
            guard key.name == ReportedError.descriptionKey, case .string(let text) = key.value else {
                return keepsUserInfo ? key : nil
            }
            return CustomKey(key.name, .string(DetectorMessage.redacted(text)))
        }
        return report
    }

    private static func name(_ raw: String) -> String { Redaction.name(Text(raw)).string }

    /// The app's own words, without what descriptions in them say of their objects.
    public static func words(_ text: String) -> String {
        PrivateText.removed(from: Text(text), keepsQuotations: true)[...].string
    }
}
