internal import Foundation
import LeakMessage

/// What the app has said of itself so far, which goes with each report: its user, custom keys and breadcrumbs.
///
/// A copy is the moment's state and copies nothing until one of the two changes. Everything is within the bounds of the
/// wire format.
struct Context: Sendable {
    private(set) var user: String?
    /// In the order in which they were first set.
    private(set) var keys: [CustomKey] = []
    private var lines = Breadcrumbs()

    /// Breadcrumbs, newest last.
    var log: [String] { lines.ordered }

    /// Keeps a line, in place of the oldest when there are ``WireLimits/logCount``.
    mutating func log(_ line: String) {
        lines.append(line.prefix(utf8: WireLimits.logBytes))
    }

    /// Sets a custom key.
    ///
    /// - Parameters:
    ///   - value: as ``LeakMessage/CustomKey/Value/init(_:)`` reads it; `nil`, also inside an `Any`, removes the key.
    ///   - name: the first ``WireLimits/keyBytes`` of it.
    /// - Returns: `false` when there are ``WireLimits/keysCount`` others, and nothing is changed.
    mutating func set(_ value: Any?, forKey name: String) -> Bool {
        let name = name.prefix(utf8: WireLimits.keyBytes)
        let place = keys.firstIndex { $0.name == name }
        guard let value = Self.content(of: value) else {
            if let place { keys.remove(at: place) }
            return true
        }
        var kept = CustomKey.Value(value)
        if case .string(let text) = kept { kept = .string(text.prefix(utf8: WireLimits.keyValueBytes)) }
        if let place {
            keys[place].value = kept
            return true
        }
        guard keys.count < WireLimits.keysCount else { return false }
        keys.append(CustomKey(name, kept))
        return true
    }

    /// Sets who uses the app; `nil` and an empty text say nobody.
    mutating func setUser(_ id: String?) {
        user = id.flatMap { $0.isEmpty ? nil : $0.prefix(utf8: WireLimits.userBytes) }
    }

    /// The report with what it does not say itself: its own user and keys win, its own lines are the newest.
    func added(to report: LeakReport) -> LeakReport {
        var report = report
        report.user = report.user ?? user
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

    /// `nil` for an optional that holds nothing, however deep, and for `NSNull`.
    private static func content(of value: Any?) -> Any? {
        guard var value, !(value is NSNull) else { return nil }
        while true {
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .optional else { return value }
            guard let inner = mirror.children.first?.value else { return nil }
            value = inner
        }
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
