internal import LeakGrammar
internal import LeakMessage

/// The fingerprint by which an app wants its events to be grouped.
/// https://docs.sentry.io/platforms/apple/usage/sdk-fingerprinting/
struct SentryFingerprint {
    private enum Part {
        case text(String)
        /// `{{ default }}`: the values that would group the event without a fingerprint.
        case byDefault
    }

    /// Maximum number of parts that are stored separately. Further parts are stored as one hash.
    private static let limit = 64

    private var parts: [Part] = []
    /// The hash of the parts beyond ``limit``.
    private var restHash: FNV1a?
    /// `true` if a part is `{{ default }}`.
    private var hasDefault = false

    mutating func add(_ text: String) {
        let isDefault = Self.isDefault(text)
        // A repeated default adds nothing.
        guard !(isDefault && hasDefault) else { return }
        hasDefault = hasDefault || isDefault
        if parts.count < Self.limit {
            parts.append(isDefault ? .byDefault : .text(text))
        } else {
            restHash = restHash ?? FNV1a()
            restHash?.add(text)
            restHash?.add("\u{1F}")
        }
    }

    /// Returns the fingerprint of the report; empty if the event has no part with visible text besides `{{ default }}`, so that
    /// the report is grouped like any other.
    ///
    /// `{{ default }}` among other parts is replaced by the fingerprint of the report, if it has one, or by the class and the
    /// last element of the stack, as far as they are known. If neither the report nor its text names a class, it is replaced by
    /// the cycle in the text, or by the text without its variable parts. A fingerprint of the wire format cannot hold a whole
    /// stack, so two paths to one class that have the same last element form one group.
    ///
    /// - Parameter end: the last element of the stack as it was sent. It is not read as a call frame, because fingerprints
    ///   follow version 1 of the grouping rules.
    func parts(of report: LeakReport, end: @autoclosure () -> String?) -> [String] {
        var hasOwnPart = restHash != nil
        var names: [String] = []
        for part in parts {
            switch part {
            case .text(let text):
                hasOwnPart = hasOwnPart || text.visible != nil
                names.append(text)
            case .byDefault: names += Self.defaults(of: report, end: end())
            }
        }
        if let restHash { names.append("…" + restHash.hexadecimal) }
        return hasOwnPart ? Self.fitted(names) : []
    }

    /// Returns `true` for `{{ default }}`, with any spaces.
    private static func isDefault(_ text: String) -> Bool {
        text.filter { $0 != " " && $0 != "\t" } == "{{default}}"
    }

    /// Returns the parts that replace `{{ default }}`.
    private static func defaults(of report: LeakReport, end: String?) -> [String] {
        if !report.fingerprint.isEmpty { return report.fingerprint }
        if let name = report.className {
            let ends = [name] + [end].compactMap(\.self)
            let names = ends.map { TypeName($0).text }
            return names.count == 2 && names[0] == names[1] ? [names[0]] : names
        }
        let message = DetectorMessage(report.message ?? "")
        guard let name = message.className else {
            return [message.cycle.isEmpty ? message.maskedText : message.cycle.joined(separator: " ")]
        }
        return [name] + message.stack.suffix(1).filter { $0 != name }
    }

    /// Returns at most as many parts as the wire format accepts, each at most as long as it accepts. A hash replaces the text
    /// that is cut off, so that different texts stay different.
    private static func fitted(_ names: [String]) -> [String] {
        var fitted = names
        let limit = WireLimits.fingerprintCount
        if names.count > limit {
            let rest = names[(limit - 1)...].joined(separator: "\u{1F}")
            fitted = names[..<(limit - 1)] + ["…" + FNV1a(rest).hexadecimal]
        }
        return fitted.map { $0.shortened(to: WireLimits.fingerprintBytes) }
    }
}
