internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// Rules that assign reports to leaks by app, class, and the stack without types of the system.
///
/// The key of a leak with a class does not contain kind, cycle, version, device and texts, and usually no module and children.
/// So the leak is one group across launches, devices, builds and versions of detectors.
///
/// A stored group keeps the version of the rules that made it. Version 2 reads call stacks, keeps the generic arguments that
/// are types of the app, and uses the whole text if it names no class. If both versions give a report the same key, the report
/// belongs to the group of version 1.
enum GroupingRules {
    /// Version 1. It is also the version of new groups whose key is the same in both versions.
    static let oldVersion = 1
    static let currentVersion = 2
    /// Value in place of the sender's module, which no type has as its module. Therefore no beginning of a name is removed as
    /// the module of the app.
    static let noModuleMarker = "-"
    /// Value in place of the sender's module: classes keep their module in their name, unless a leak of the class
    /// without its module exists.
    static let keepModulesMarker = "*"

    /// The leaks that one report describes.
    struct Groups: Sendable {
        var first: GroupedReport
        /// The further leaks of a text that describes several.
        var others: [GroupedReport] = []
        /// Number of leaks in the text beyond ``MessageSplitter/limit``, which are left out.
        var omittedCount = 0

        /// Sets the number of live instances from the report's field. The leaks of a text with several leaks keep the
        /// numbers from the text.
        mutating func setAlive(_ alive: Int?) {
            if others.isEmpty { first.alive = alive ?? first.alive }
        }
    }

    /// Groups one report. Each leak in its text becomes a group of its own.
    ///
    /// A report that describes one leak is redacted before it is grouped, in the same way as its stored sample, so that the
    /// sample gives the same leak.
    ///
    /// - Parameters:
    ///   - rules: the rules of the app.
    ///   - symbols: returns the functions of a frame that has only an image and an offset.
    static func groups(
        _ report: LeakReport, app: AppKey, module: String?, rules: FingerprintRules? = nil,
        symbols: CallStack.Symbols = { _, _ in [] }
    ) -> Groups {
        func group(_ part: MessageSplitter.Part) -> GroupedReport {
            var report = report
            report.message = part.text
            report.className = part.className
            report.alive = part.alive
            return self.group(
                report.withLeakRedacted(), app: app, module: module, isGuessed: part.isGuessed, rules: rules,
                symbols: symbols)
        }
        let isTextAlone =
            (report.className ?? "").isEmpty && report.stack.isEmpty && report.cycle.isEmpty
            && report.fingerprint.isEmpty
        let text = isTextAlone ? report.text : nil
        let parts = text.map { MessageSplitter.parts(of: $0, demangle: RuntimeDemangler.demangle) } ?? []
        guard let first = parts.first else {
            return Groups(
                first: self.group(
                    report.withLeakRedacted(), app: app, module: module, rules: rules, symbols: symbols))
        }
        // A rule may give several leaks of a text the same group, for which the text is one report.
        let firstGroup = group(first)
        var ids = [firstGroup.identity.id]
        let others = parts.prefix(MessageSplitter.limit).dropFirst().map(group).filter { other in
            guard rules != nil, ids.contains(other.identity.id) else {
                ids.append(other.identity.id)
                return true
            }
            return false
        }
        var groups = Groups(
            first: firstGroup, others: others,
            omittedCount: max(0, parts.count - MessageSplitter.limit))
        groups.setAlive(report.alive)
        return groups
    }

    /// Groups one report.
    ///
    /// - Parameters:
    ///   - app: the app in its environment, which the leak's id depends on.
    ///   - module: the app's own module, if its reports name it.
    ///   - isGuessed: true if the class is only a word that looks like a class.
    ///   - rules: the rules of the app, for a report without a fingerprint.
    ///   - symbols: returns the functions of a frame that has only an image and an offset.
    static func group(
        _ report: LeakReport, app: AppKey, module: String?, isGuessed: Bool = false,
        rules: FingerprintRules? = nil, symbols: CallStack.Symbols = { _, _ in [] }
    ) -> GroupedReport {
        // The reports of a Sentry SDK do not name the app's own module, so each class keeps the module that it names.
        let keepsModules = module == keepModulesMarker
        let (subject, parsed) = subject(of: report, module: keepsModules ? nil : module, symbols)
        let isFreed = (report.event ?? parsed?.event) == .freed
        let kind = report.kind ?? parsed?.kind ?? subject.kind
        let otherSubject =
            report.fingerprint.isEmpty
            ? otherModuleSpelling(of: subject, in: report, module: module, symbols) : nil
        let match =
            report.fingerprint.isEmpty
            ? rules?.match(subject.ruleSubject(otherSpelling: otherSubject?.className)) : nil
        let fingerprint = match.map { [$0.group] } ?? report.fingerprint
        func identity(_ subject: ReportedObject, otherModuleSpelling: LeakIdentity? = nil) -> LeakIdentity {
            let (key, version) = subject.key(fingerprint: fingerprint)
            let quality = subject.quality(hasFingerprint: !fingerprint.isEmpty)
            return LeakIdentity(
                id: id(app: app, key: key, version: version), app: app.name, environment: app.environment,
                kind: kind.rawValue,
                className: subject.className?.name, module: subject.className?.module,
                // A sender's fingerprint may be any text for programs. The group of a rule was written to be read.
                title: match == nil ? subject.title(fingerprint: fingerprint) : key[0],
                stack: subject.shownStack,
                children: subject.children.map(\.name), cycle: subject.cycle,
                quality: isGuessed && match == nil && quality == .full ? .guessed : quality,
                groupingKey: GroupingKey(
                    version: version, className: key.first ?? "", stack: Array(key.dropFirst())),
                otherModuleSpelling: otherModuleSpelling)
        }
        // A fingerprint does not contain the class, so that its module makes no difference.
        let other = match == nil ? otherSubject : nil
        let (first, second) = keepsModules ? (other ?? subject, subject) : (subject, other)
        let identity = identity(
            first, otherModuleSpelling: other == nil ? nil : second.map { identity($0) })
        let lived = report.livedMilliseconds ?? (isFreed ? report.text.flatMap(livedMilliseconds(in:)) : nil)
        return GroupedReport(
            identity: identity, isFreed: isFreed, livedMilliseconds: isFreed ? lived : nil,
            alive: report.alive ?? parsed?.alive, rule: match)
    }

    /// Returns the object with the module added to its class's name, or with the module removed if the name contains it; `nil`
    /// if no module of an app is known.
    private static func otherModuleSpelling(
        of subject: ReportedObject, in report: LeakReport, module: String?, _ symbols: CallStack.Symbols
    ) -> ReportedObject? {
        guard let className = subject.className else { return nil }
        if let qualified = subject.qualified { return qualified }
        // The name may begin with another module than that of the sender.
        guard module != nil, className.module == nil, className.isDotted else { return nil }
        let unqualified = self.subject(of: report, module: nil, symbols).subject
        return unqualified.className?.appModule == nil ? nil : unqualified
    }

    /// Returns the id of the leak to which version 1 of the rules assigns a report without a call stack.
    static func oldID(of report: LeakReport, app: AppKey, module: String?) -> LeakID {
        let subject = subject(of: report, module: module) { _, _ in [] }.subject
        return id(app: app, key: subject.oldKey(fingerprint: report.fingerprint))
    }

    /// Reads the object that a report is about.
    ///
    /// - Returns: the object, and the parsed text of the report. The text is `nil` if the report has none, or if its fields
    ///   give both the class and the event.
    private static func subject(
        of report: LeakReport, module: String?, _ symbols: CallStack.Symbols
    ) -> (subject: ReportedObject, parsed: DetectorMessage?) {
        let named = report.className.flatMap { $0.isEmpty ? nil : $0 }
        let demangleFunction = RuntimeDemangler.demangleFunction
        // The text is read only for values that the fields do not give.
        let lacksClassOrEvent = named == nil || report.event == nil
        let mayHaveCalls = report.stack.isEmpty && report.text.map(DetectorMessage.mayHaveCallStack) ?? false
        let parsed =
            lacksClassOrEvent || mayHaveCalls
            ? report.text.map {
                DetectorMessage(
                    $0, demangle: RuntimeDemangler.demangle, demangleFunction: demangleFunction,
                    guessesClass: report.fingerprint.isEmpty && report.cycle.isEmpty)
            } : nil
        let callStack =
            report.stack.isEmpty
            ? parsed?.callStack : CallStack(report.stack, demangle: demangleFunction)
        let subject = ReportedObject(
            report, className: named, parsed: parsed, callStack: callStack?.named(by: symbols), module: module
        )
        // If the text was read only for its call stack, nothing else in it is used.
        return (subject, lacksClassOrEvent ? parsed : nil)
    }

    /// Returns a class name as ``LeakIdentity/className`` has it, so that checks can be counted by class.
    static func className(_ raw: String, module: String?) -> String {
        ReportedObject.Name(raw, module: module).name
    }

    /// Returns the milliseconds from the leak until the object was freed, from the text about a freed object.
    static func livedMilliseconds(in text: String) -> Int? {
        DetectorMessage(text).livedMilliseconds
    }

    /// Returns the id of the leak that a rule of the app names.
    static func id(app: AppKey, rule: FingerprintRules.Match) -> LeakID {
        id(app: app, key: [ReportedObject.withoutSeparators(rule.group)])
    }

    /// Returns the id of the leak with a key: the first 128 bits of SHA-256 over version, app and key, with U+001F between
    /// them, changed by ``LeakID/inEnvironment(_:)``.
    ///
    /// The parts contain no control characters. If a part contained U+001F, U+001B would mark it, so that no two lists
    /// of parts give the same text.
    static func id(app: AppKey, key: [String], version: Int = oldVersion) -> LeakID {
        var bytes = Array("\(version)".utf8)
        for part in [app.name] + key {
            bytes.append(0x1F)
            for byte in part.utf8 {
                switch byte {
                case 0x1B: bytes += [0x1B, 0x5B]
                case 0x1F: bytes += [0x1B, 0x5F]
                default: bytes.append(byte)
                }
            }
        }
        return LeakID(bytes: SHA256Hash.hash(bytes)).inEnvironment(app.environment)
    }
}

extension LeakReport {
    /// The detector's text; if there is none, the error's text.
    fileprivate var text: String? {
        [message, error?.description].compactMap(\.self).first { !$0.isEmpty }
    }
}

/// The leak to which a report belongs, and the values of the report that are counted for it.
struct GroupedReport: Sendable {
    let identity: LeakIdentity
    /// True if the report says that an object was freed after it had been reported.
    let isFreed: Bool
    /// For a freed object, the milliseconds from its leak until it was freed; `nil` if they are not known.
    let livedMilliseconds: Int?
    /// Number of live instances of the class; `nil` if the report does not say it.
    var alive: Int?
    /// The rule of the app that gave the report its group; `nil` for a group by the rules of ``GroupingRules``.
    var rule: FingerprintRules.Match?
}
