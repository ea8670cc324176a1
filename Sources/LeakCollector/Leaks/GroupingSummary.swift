internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// A sentence about the parts that all reports of a leak have in common, and about the system frames or system owners
/// in which its sample reports differ.
struct GroupingSummary {
    /// The summary, such as `same class, same 4 app frames; the 18 sample reports differ in 3 system frames`.
    let sentence: String

    /// - Parameter reports: the sample reports of the leak.
    init(of leak: LeakIdentity, reports: [LeakReport]) {
        let common = Self.commonParts(of: leak)
        let differenceCount = Self.differenceCount(of: leak, reports)
        guard differenceCount > 0 else {
            sentence = common
            return
        }
        let differingParts =
            Self.isCallStack(leak)
            ? Count(differenceCount).text(noun: "system frame", plural: "system frames")
            : Count(differenceCount).text(noun: "system owner", plural: "system owners")
        sentence =
            "\(common); the \(Count(reports.count).text(noun: "sample report", plural: "sample reports")) differ in \(differingParts)"
    }

    private static func isCallStack(_ leak: LeakIdentity) -> Bool {
        CallStack.titles(of: leak.stack) != nil
    }

    /// Returns the parts that all reports of the leak have in common, such as `same class, same 4 app frames`.
    private static func commonParts(of leak: LeakIdentity) -> String {
        let key = leak.groupingKey
        let frames = sameText(key.stack.count, "app frame")
        if leak.quality == .low {
            guard isCallStack(leak), !key.stack.isEmpty else { return "same text" }
            return key.className.isEmpty ? frames : "same text, \(frames)"
        }
        guard let className = leak.className else {
            return leak.cycle.isEmpty ? "same fingerprint" : "same cycle"
        }
        guard key.className.utf8.elementsEqual(className.utf8) else {
            return "same fingerprint, set by the sender"
        }
        if isCallStack(leak) {
            return key.stack.isEmpty ? "same class" : "same class, \(frames)"
        }
        // The last element is the leaked object itself.
        let owners = key.stack.dropLast(key.stack.last == className ? 1 : 0)
        return owners.isEmpty ? "same class" : "same class, \(sameText(owners.count, "owner"))"
    }

    private static func sameText(_ count: Int, _ noun: String) -> String {
        count == 1 ? "same \(noun)" : "same \(Count(count).text(noun: noun, plural: noun + "s"))"
    }

    /// Returns the number of system frames, or of system owners, that only some of the reports have. The grouping key
    /// leaves them out. Reports without system frames or system owners are ignored.
    private static func differenceCount(of leak: LeakIdentity, _ reports: [LeakReport]) -> Int {
        let sets = reports.map { report in
            Set(
                isCallStack(leak)
                    ? systemFrames(report) : systemOwners(report, besides: leak.groupingKey.stack)
            )
        }.filter { !$0.isEmpty }
        guard let first = sets.first else { return 0 }
        let (all, shared) = sets.dropFirst().reduce((first, first)) {
            ($0.0.union($1), $0.1.intersection($1))
        }
        return all.count - shared.count
    }

    /// Returns the system frames of the report's stack, or of its text if it has no stack. Names are not demangled,
    /// because mangled names distinguish frames as well, and this takes a tenth of the time.
    private static func systemFrames(_ report: LeakReport) -> [String] {
        let text = [report.message, report.error?.description].compactMap(\.self).first { !$0.isEmpty }
        let stack =
            report.stack.isEmpty ? text.flatMap { DetectorMessage($0).callStack } : CallStack(report.stack)
        return stack?.frames.filter(\.isSystem).compactMap { frame in
            frame.function.map { "\($0) in \(frame.module ?? "")" }
        } ?? []
    }

    /// Returns the system classes in the report's path of owners, except those that are in the grouping key.
    private static func systemOwners(_ report: LeakReport, besides key: [String]) -> [String] {
        report.stack.map { TypeName($0) }.filter(\.isSystem).map(\.text).filter { !key.contains($0) }
    }
}
