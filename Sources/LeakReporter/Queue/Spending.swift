/// Bytes of reports that were written down to be sent on one day.
struct Spending: Hashable, Sendable {
    /// Since 1970, in UTC.
    var day = 0
    var bytes = 0

    init(day: Int = 0, bytes: Int = 0) {
        self.day = day
        self.bytes = bytes
    }

    /// - Returns: `nil` when it is not what ``line`` gives.
    init?(line: String) {
        let parts = line.split(separator: " ")
        guard parts.count == 2, let day = Int(parts[0]), let bytes = Int(parts[1]), bytes >= 0 else {
            return nil
        }
        self.init(day: day, bytes: bytes)
    }

    var line: String { "\(day) \(bytes)" }

    /// What two processes spent, of which the other one's is `other` by now and was `base`.
    func added(to other: Spending, since base: Spending) -> Spending {
        guard other.day == day else { return other.day > day ? other : self }
        let mine = base.day == day ? bytes - base.bytes : bytes
        return Spending(day: day, bytes: other.bytes.addingReportingOverflow(max(mine, 0)).partialValue)
    }
}
