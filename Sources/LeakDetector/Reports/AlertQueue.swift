/// The alert on the screen, and the alerts that wait until it is closed.
struct AlertQueue<Picture> {
    struct Entry {
        var alert: AlertPresenter.Alert
        let picture: Picture?
    }

    enum AddResult {
        case show(Entry)
        case wait
        /// Too many alerts wait. The alert has to be shown in another way.
        case full
    }

    enum UpdateResult: Hashable {
        case shown, waiting
        /// The alert was closed, or there was no room for it.
        case absent
    }

    /// The maximum number of waiting alerts. A picture takes a megabyte or two, and no user closes more alerts in a row.
    static var waitingLimit: Int { 20 }

    private(set) var shownEntry: Entry?
    private var waitingEntries: [Entry] = []

    /// - Parameter picture: evaluated only if the alert is accepted.
    mutating func add(_ alert: AlertPresenter.Alert, picture: @autoclosure () -> Picture?) -> AddResult {
        guard shownEntry != nil else {
            let entry = Entry(alert: alert, picture: picture())
            shownEntry = entry
            return .show(entry)
        }
        guard waitingEntries.count < Self.waitingLimit else { return .full }
        waitingEntries.append(Entry(alert: alert, picture: picture()))
        return .wait
    }

    /// Changes the text of the alert that has the same id.
    mutating func update(_ alert: AlertPresenter.Alert) -> UpdateResult {
        if shownEntry?.alert.id == alert.id {
            shownEntry?.alert = alert
            return .shown
        }
        guard let index = waitingEntries.firstIndex(where: { $0.alert.id == alert.id }) else {
            return .absent
        }
        waitingEntries[index].alert = alert
        return .waiting
    }

    /// Closes the alert that is shown.
    ///
    /// - Returns: the alert to show next; `nil` if none waits.
    mutating func closeShown() -> Entry? {
        shownEntry = waitingEntries.isEmpty ? nil : waitingEntries.removeFirst()
        return shownEntry
    }
}
