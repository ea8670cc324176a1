import LeakMessage

/// The context that the app has set so far, which is sent with each report: custom keys and breadcrumbs.
///
/// A copy is a snapshot; its storage is shared until one of the two changes. All values are within the limits of the wire format.
struct Context: Sendable {
    /// The custom keys, in the order in which they were first set.
    private(set) var keys: [CustomKey] = []
    private var lines = Breadcrumbs()

    /// Breadcrumbs, newest last.
    var log: [String] { lines.ordered }

    /// Adds a line, which replaces the oldest one if there are already ``WireLimits/logCount``.
    mutating func log(_ line: String) {
        lines.append(line.prefix(utf8: WireLimits.logBytes))
    }

    /// Sets or removes a custom key.
    ///
    /// - Returns: `false` if there are already ``WireLimits/keysCount`` other keys; nothing is changed then.
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

    /// Returns the report with the context added. Keys of the report take precedence, and its own lines are the newest.
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

/// The newest lines, in a ring buffer: a new line replaces one and moves none.
private struct Breadcrumbs: Sendable {
    private var lines: [String] = []
    private var oldestIndex = 0

    var isEmpty: Bool { lines.isEmpty }
    var ordered: [String] { Array(lines[oldestIndex...] + lines[..<oldestIndex]) }

    mutating func append(_ line: String) {
        guard lines.count == WireLimits.logCount else { return lines.append(line) }
        lines[oldestIndex] = line
        oldestIndex = (oldestIndex + 1) % WireLimits.logCount
    }
}
