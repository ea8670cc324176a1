internal import LeakGrammar
import LeakMessage

// The identity of the leak that a report is about, determined as the collector does it: by fingerprint, class, cycle, text, or
// domain and code of an error, whichever comes first. The collector rejects a report that has none of them.

extension LeakReport {
    /// If nothing in the report identifies the leak, adds a placeholder, so that the collector counts the report:
    /// 1. the last owner of the path as the class,
    /// 2. `error` as the domain of an error without a domain,
    /// 3. otherwise a space as the text.
    func withIdentityPlaceholder() -> LeakReport {
        guard !identifiesLeak else { return self }
        var report = self
        if let last = stack.last, !last.isEmpty, CallStack(stack) == nil {
            report.className = last
        } else if error != nil {
            report.error?.domain = "error"
        } else {
            report.message = " "
        }
        return report
    }

    /// Completes this report, which the app changed, so that it still identifies the leak of `original`. The app may give it
    /// another leak with a fingerprint or a class.
    ///
    /// The class, path and cycle that a removed text names are kept. If anything else that identified the leak was removed, a hash
    /// of it is kept as the fingerprint. If a path was removed, the class remains; if a fingerprint was removed, the class, text or
    /// error remains.
    ///
    /// - Parameter original: the report before the change, which identifies a leak.
    func identified(as original: LeakReport) -> LeakReport {
        var report = self
        let isClassRemoved = original.namesClass && !namesClass
        let isCycleRemoved = cycle.isEmpty && !original.cycle.isEmpty
        // The explanation names the class or cycle, and the detector's fingerprint may name the class.
        if isClassRemoved || isCycleRemoved { report.explanation = nil }
        if isClassRemoved, !fingerprint.isEmpty, fingerprint == original.fingerprint {
            report.fingerprint = Self.hashedFingerprint("fingerprint", fingerprint)
        }
        let removedMessage = removedText(of: original).map { DetectorMessage($0) }
        if let removedMessage {
            // The class given in addition to the text may have been removed too.
            if original.namesClass {
                report.event = event ?? removedMessage.event
            } else {
                report.fill(from: removedMessage)
                if isCycleRemoved { report.cycle = [] }
            }
        }
        guard report.fingerprint.isEmpty, !report.namesClass else { return report }
        if let replacement = report.replacementFingerprint(of: original, removedMessage) {
            report.fingerprint =
                original.fingerprint.isEmpty
                ? replacement : Self.hashedFingerprint("fingerprint", original.fingerprint)
        } else if !report.identifiesLeak {
            report.fingerprint = Self.hashedFingerprint("fingerprint", original.fingerprint)
        }
        return report
    }

    /// `true` if the report identifies a leak for the collector.
    var identifiesLeak: Bool {
        namesClass || text != nil || !(error?.domain ?? "").isEmpty || !cycle.isEmpty || !fingerprint.isEmpty
    }

    private var namesClass: Bool { !(className ?? "").isEmpty }

    /// The text from which the leak is identified if no other field does: the message, or else the description of the error.
    private var text: String? {
        if let message, !message.isEmpty { return message }
        let description = error?.userInfo.first { $0.name == ReportedError.descriptionKey }
        guard case .string(let text) = description?.value, !text.isEmpty else { return nil }
        return text
    }

    /// Returns the text of `original` if it was removed. A message counts as removed even if the description of an error is still
    /// there.
    private func removedText(of original: LeakReport) -> String? {
        let isMessageRemoved = (message ?? "").isEmpty && !(original.message ?? "").isEmpty
        return isMessageRemoved || text == nil ? original.text : nil
    }

    /// Returns a fingerprint for this report, from which values were removed that identified its leak; `nil` if no such
    /// value was removed.
    ///
    /// - Parameters:
    ///   - original: the report before the removal.
    ///   - removedMessage: the removed text; `nil` if no text was removed.
    private func replacementFingerprint(of original: LeakReport, _ removedMessage: DetectorMessage?)
        -> [String]?
    {
        if original.namesClass { return Self.hashedFingerprint("class", original.classAndPath) }
        if !original.cycle.isEmpty {
            guard cycle.isEmpty else { return nil }
            // A class named in a text takes precedence over the cycle.
            if let text, DetectorMessage(text).className != nil { return nil }
            let names = original.cycle.map { Cycle.publicName(TypeName($0).text) }
            return Self.hashedFingerprint("cycle", Cycle.smallestRotation(names))
        }
        if let removedMessage {
            guard cycle.isEmpty else { return nil }
            let calls = original.stack.isEmpty ? removedMessage.callStack : CallStack(original.stack)
            return Self.hashedFingerprint("text", [removedMessage.template] + (calls?.keyElements ?? []))
        }
        guard let originalError = original.error, !originalError.domain.isEmpty, !identifiesLeak else {
            return nil
        }
        return Self.hashedFingerprint(
            "error", [UnknownContext.removed(from: originalError.domain), "\(originalError.code)"])
    }

    /// The class and path by which the collector groups: call frames of the app, or owners that do not belong to the system. For a
    /// system container without a path, the first child is included.
    private var classAndPath: [String] {
        let type = TypeName(className ?? "")
        if let calls = CallStack(stack) { return [type.detailedText] + calls.keyElements }
        let owners = stack.map { TypeName($0) }
        let path = owners.enumerated().filter { !$1.isSystem || $0 == owners.count - 1 }
            .map(\.element.detailedText)
        guard path.isEmpty || path == [type.detailedText] else { return [type.detailedText] + path }
        let child = type.isSystem ? children.first.map { TypeName($0).detailedText } : nil
        return [type.detailedText, child].compactMap(\.self)
    }

    /// - Parameter kind: the first part of the fingerprint. The second part is a hash, which does not reveal `parts`.
    private static func hashedFingerprint(_ kind: String, _ parts: [String]) -> [String] {
        [kind, FNV1a(parts.joined(separator: "\u{1F}")).hexadecimal]
    }
}
