import LeakMessage

extension LeakReport {
    /// The report with what the text of `original` said of the leak, where the app took that text away and named no leak itself.
    ///
    /// A text that names neither class nor cycle is replaced by its hash as fingerprint. The leak is counted as before, and the
    /// collector does not reject it.
    func identified(as original: LeakReport) -> LeakReport {
        guard text == nil, className?.isEmpty ?? true, fingerprint.isEmpty, let text = original.text else {
            return self
        }
        var report = self
        let message = DetectorMessage(text)
        report.fill(from: message)
        if report.className == nil, report.cycle.isEmpty, report.error?.domain.isEmpty ?? true {
            report.fingerprint = ["text", FNV1a(message.template).hexadecimal]
        }
        return report
    }

    /// The text that is read where the fields leave the leak open.
    private var text: String? {
        let description = error?.userInfo.first { $0.name == ReportedError.descriptionKey }
        if let message, !message.isEmpty { return message }
        guard case .string(let text) = description?.value, !text.isEmpty else { return nil }
        return text
    }
}
