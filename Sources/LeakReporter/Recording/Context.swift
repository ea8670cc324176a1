import LeakMessage

/// What the app has said of itself so far, which goes with each report: custom keys and breadcrumbs.
///
/// A copy is the moment's state and copies nothing until one of the two changes. Everything is within the bounds of the
/// wire format.
struct Context: Sendable {
    /// In the order in which they were first set.
    private(set) var keys: [CustomKey] = []
    private var lines = Breadcrumbs()

    /// Breadcrumbs, newest last.
    var log: [String] { lines.ordered }

    /// Keeps a line, in place of the oldest when there are ``WireLimits/logCount``.
    mutating func log(_ line: String) {
        lines.append(line.prefix(utf8: WireLimits.logBytes))
    }

    /// Sets a custom key, or takes it back.
    ///
    /// - Returns: `false` when there are ``WireLimits/keysCount`` others, and nothing is changed.
    @discardableResult
    mutating func set(_ value: CustomKey.Value?, forKey name: String) -> Bool {
        let name = name.prefix(utf8: WireLimits.keyBytes)
        let place = keys.firstIndex { $0.name == name }
        guard var value else {
            if let place { keys.remove(at: place) }
            return true
        }
        if case .string(let text) = value { value = .string(text.prefix(utf8: WireLimits.keyValueBytes)) }
        if let place {
            keys[place].value = value
            return true
        }
        guard keys.count < WireLimits.keysCount else { return false }
        keys.append(CustomKey(name, value))
        return true
    }

    /// The report with what it does not say itself: its own keys win, its own lines are the newest.
    func added(to report: LeakReport) -> LeakReport {
        var report = report
        if !keys.isEmpty {
            let own = Set(report.keys.map { $0.name.prefix(utf8: WireLimits.keyBytes) })
            let room = max(WireLimits.keysCount - report.keys.count, 0)
            report.keys += keys.filter { !own.contains($0.name) }.prefix(room)
        }
        if !lines.isEmpty {
            let room = max(WireLimits.logCount - report.log.count, 0)
            report.log.insert(contentsOf: lines.ordered.suffix(room), at: 0)
        }
        return report
    }
}

/// The newest lines, in a ring: a line more replaces one and moves none.
private struct Breadcrumbs: Sendable {
    private var lines: [String] = []
    private var oldest = 0

    var isEmpty: Bool { lines.isEmpty }
    var ordered: [String] { Array(lines[oldest...] + lines[..<oldest]) }

    mutating func append(_ line: String) {
        guard lines.count == WireLimits.logCount else { return lines.append(line) }
        lines[oldest] = line
        oldest = (oldest + 1) % WireLimits.logCount
    }
}
