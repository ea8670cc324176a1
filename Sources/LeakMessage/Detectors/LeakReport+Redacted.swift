extension LeakReport {
    /// The report as a sample may be kept: texts of detectors without what users typed or read.
    ///
    /// - Parameter keepsUserInfo: keeps the error's `userInfo` whole, which its owner allowed; else its description
    ///   alone is kept, redacted.
    public func redacted(keepsUserInfo: Bool = false) -> LeakReport {
        var report = self
        report.message = message.map(DetectorMessage.redacted)
        report.error?.userInfo = (error?.userInfo ?? []).compactMap { key in
            guard key.name == ReportedError.descriptionKey, case .string(let text) = key.value else {
                return keepsUserInfo ? key : nil
            }
            return CustomKey(key.name, .string(DetectorMessage.redacted(text)))
        }
        return report
    }
}
