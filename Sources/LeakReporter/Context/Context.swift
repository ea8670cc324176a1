import LeakMessage

/// The context that the app has set so far, which is sent with each report: custom keys and breadcrumbs.
///
/// A copy is a snapshot; its storage is shared with the original until one of the two changes. All values are within the limits
/// of the wire format.
struct Context: Sendable {
    /// The custom keys, in the order in which they were first set.
    private(set) var keys: [CustomKey] = []
    private var breadcrumbs = Breadcrumbs()

    /// Breadcrumbs, newest last.
    var log: [String] { breadcrumbs.oldestFirst }

    /// Adds a breadcrumb, which replaces the oldest breadcrumb if there are already ``WireLimits/logLineCount``.
    mutating func addBreadcrumb(_ line: String) {
        breadcrumbs.append(line.prefix(utf8: WireLimits.logLineBytes))
    }

    /// Sets or removes a custom key.
    ///
    /// - Returns: `false` if there are already ``WireLimits/keysCount`` other keys; nothing is changed then.
    @discardableResult
    mutating func set(_ value: CustomKey.Value?, forKey name: String) -> Bool {
        let name = name.prefix(utf8: WireLimits.keyBytes)
        let index = keys.firstIndex { $0.name == name }
        guard var value else {
            if let index { keys.remove(at: index) }
            return true
        }
        if case .string(let text) = value { value = .string(text.prefix(utf8: WireLimits.keyValueBytes)) }
        if let index {
            keys[index].value = value
            return true
        }
        guard keys.count < WireLimits.keysCount else { return false }
        keys.append(CustomKey(name, value))
        return true
    }

    /// Returns the report with the context added. Keys of the report take precedence, and its breadcrumbs are the newest.
    func added(to report: LeakReport) -> LeakReport {
        var report = report
        if !keys.isEmpty {
            let ownNames = Set(report.keys.map { $0.name.prefix(utf8: WireLimits.keyBytes) })
            let freeCount = max(WireLimits.keysCount - report.keys.count, 0)
            report.keys += keys.filter { !ownNames.contains($0.name) }.prefix(freeCount)
        }
        if !breadcrumbs.isEmpty {
            let freeCount = max(WireLimits.logLineCount - report.log.count, 0)
            report.log.insert(contentsOf: breadcrumbs.oldestFirst.suffix(freeCount), at: 0)
        }
        return report
    }
}

/// The newest breadcrumbs, in a ring buffer: a new line replaces the oldest line without moving the other lines.
private struct Breadcrumbs: Sendable {
    private var lines: [String] = []
    private var oldestIndex = 0

    var isEmpty: Bool { lines.isEmpty }
    var oldestFirst: [String] { Array(lines[oldestIndex...] + lines[..<oldestIndex]) }

    mutating func append(_ line: String) {
        guard lines.count == WireLimits.logLineCount else { return lines.append(line) }
        lines[oldestIndex] = line
        oldestIndex = (oldestIndex + 1) % WireLimits.logLineCount
    }
}
