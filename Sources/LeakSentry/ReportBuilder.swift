internal import LeakGrammar
internal import LeakMessage

/// The conversion of an event to a report.
///
/// The leak is identified by the first of these that the event has: the fingerprint; the class in the context `leak` or in the
/// tag `leak.class`; the text of a detector in the message, the exception or the error's description; the domain and code of an
/// `NSError`; the type and frames of an exception; the message.
struct ReportBuilder {
    /// The report; `nil` if nothing in the event distinguishes one leak from another.
    let report: LeakReport?

    init(_ event: SentryEvent) {
        var report = event.contexts.leak
        report.at = event.at
        // Puts each element in one line, as the wire format requires of a class, so that an element that names a class is
        // recognized as that class.
        for path in [\LeakReport.stack, \.children, \.cycle] {
            report[keyPath: path] = report[keyPath: path].map(\.inOneLine)
        }
        let tagged = event.kindTag.flatMap(LeakKind.init)
        report.kind = report.kind ?? tagged?.kind
        report.className = [report.className, event.classTag].firstNonBlank
        let sentStack = report.stack
        report.identify(by: event)
        report.keys = Self.keys(event, isKindKnown: tagged != nil)
        report.log = Array(event.breadcrumbs.elements)
        let parts = event.fingerprint.parts(
            of: report,
            end: report.stack == sentStack
                ? sentStack.last : event.exception?.frames.innermostName(images: event.images))
        if !parts.isEmpty { report.fingerprint = parts }
        self.report = report.isIdentified ? report : nil
    }

    /// Returns level, tags and extra values as custom keys, as many as a report may have. If a name occurs twice,
    /// the first value is kept.
    private static func keys(_ event: SentryEvent, isKindKnown: Bool) -> [CustomKey] {
        var keys: [CustomKey] = []
        var names: Set<String> = []
        func add(_ name: String, _ value: CustomKey.Value) {
            guard keys.count < WireLimits.keysCount, names.insert(name).inserted else { return }
            keys.append(CustomKey(name, value))
        }
        if let level = event.level { add("level", .string(level)) }
        for tag in event.tags.pairs where !(tag.name == SentryEvent.kindTagName && isKindKnown) {
            add(tag.name, .string(tag.value))
        }
        for key in event.extra.pairs { add(key.name, key.value) }
        return keys
    }
}

extension LeakReport {
    /// Sets the fields that identify the leak, and the texts about it.
    fileprivate mutating func identify(by event: SentryEvent) {
        guard let exception = event.exception else {
            message = Self.messages([event.text]).first
            identifyMessage(by: event)
            return
        }
        if let error = exception.mechanism.error {
            identify(by: error, exception, event)
            return
        }
        let texts = Self.messages([exception.value, event.text])
        let detected = texts.first(where: DetectorText.isRecognised)
        message = detected ?? texts.first
        guard className == nil, detected == nil else { return }
        let type = exception.type?.visible
        // The type of an exception called `Leak` or `MemoryLeakError` is not the class of the leaked object, but the text may
        // name that class.
        let isWordForLeak = type.map(Self.isWordForLeak) ?? false
        let namingText = isWordForLeak ? texts.first(where: DetectorText.containsClassName) : nil
        message = namingText ?? message
        className = namingText == nil ? (isWordForLeak ? event.className : nil) ?? type : nil
        if let namingText, DetectorText.isTypeName(namingText) { className = namingText }
        // If no class is known, the text may describe the object. The calls must then not be taken for the path to the object.
        guard namingText != nil || className != nil, stack.isEmpty else { return }
        stack = exception.frames.stack(images: event.images)
    }

    /// Identifies an event without an exception. If no field names a class or a cycle, and the text names no class, cycle or
    /// calls, uses the class in ``SentryEvent/extra``, or else the calls of the event's thread.
    ///
    /// If a class is known, the calls are not used, because they only lead to the code that sent the event.
    private mutating func identifyMessage(by event: SentryEvent) {
        guard className == nil, cycle.isEmpty, !(message.map(DetectorText.identifiesLeak) ?? false) else {
            return
        }
        className = event.className
        guard className == nil, message != nil, stack.isEmpty, let frames = event.threadFrames else { return }
        stack = frames.stack(images: event.images)
    }

    /// Returns `true` if the name of an exception consists of words such as `Leak`, `Memory` and `Error` alone, and one of them
    /// is `Retain` or begins with `Leak`.
    private static func isWordForLeak(_ type: String) -> Bool {
        var words: [String] = []
        var previous: Character = "."
        for character in type.split(separator: ".").last ?? "" {
            let isStart = !previous.isLetter || character.isUppercase && previous.isLowercase
            if character.isLetter, isStart { words.append("") }
            if character.isLetter { words[words.count - 1] += character.lowercased() }
            previous = character
        }
        let known: Set<String> = [
            "memory", "leak", "leaks", "leaked", "detected", "possible", "retain", "cycle", "object", "error",
            "warning",
            "exception", "issue", "report", "detector", "watcher", "tracking", "warn",
        ]
        return words.contains { $0.hasPrefix("leak") || $0 == "retain" } && words.allSatisfy(known.contains)
    }

    /// Identifies an `NSError`. Its description in the user info may be the text of a detector. Any other error without a class
    /// is grouped by domain and code, as in Sentry.
    private mutating func identify(
        by error: (domain: String, code: Int), _ exception: SentryException, _ event: SentryEvent
    ) {
        let texts = Self.messages([
            exception.mechanism.localizedDescription, event.contexts.errorDescription, exception.value,
            event.text,
        ])
        self.error = ReportedError(domain: error.domain, code: error.code)
        if let text = texts.first(where: DetectorText.isRecognised) {
            message = text
            return
        }
        message = "\(error.domain): \(texts.first ?? "Code: \(error.code)")".cut(to: WireLimits.messageBytes)
        if className == nil { fingerprint = [error.domain, "\(error.code)"] }
    }

    /// Returns the texts with visible content, cut to the length that the wire format accepts.
    private static func messages(_ texts: [String?]) -> [String] {
        texts.compactMap { $0?.visible?.cut(to: WireLimits.messageBytes) }
    }

    /// `true` if the report has a class, a message or a fingerprint, as the reader of the wire format requires.
    fileprivate var isIdentified: Bool {
        !(className ?? "").isEmpty || !(message ?? "").isEmpty || !fingerprint.isEmpty
    }
}

extension SentryEvent {
    /// The class of the leaked object: ``extraClass``, if that text is the name of a type.
    fileprivate var className: String? {
        extraClass?.visible.flatMap { DetectorText.isTypeName($0) ? $0 : nil }
    }
}

/// Checks of a text: whether a leak detector wrote it, and whether it names a class.
enum DetectorText {
    /// Returns `true` for a text that identifies its leak by itself, because it contains a class, a cycle or a call stack.
    static func identifiesLeak(_ text: String) -> Bool {
        if containsClassName(text) { return true }
        let message = DetectorMessage(text)
        return !message.cycle.isEmpty || message.callStack != nil
    }

    /// Returns `true` for a text that names a class, even if the form of the text is unknown.
    static func containsClassName(_ text: String) -> Bool {
        if isTypeName(text) { return true }
        // Any mangled name counts as a class, because the collector demangles it later.
        let message = DetectorMessage(text, demangle: { _ in "Mangled.Name" }, guessesClass: true)
        return message.className != nil || message.guessedClassName != nil
    }

    /// Returns `true` for a text that is the name of a type and nothing else, such as `CartViewModel`.
    static func isTypeName(_ text: String) -> Bool {
        let last = text.split(separator: ".").last ?? ""
        return text.utf8.count >= 3 && last.first?.isUppercase ?? false
            && text.allSatisfy { $0.isLetter || $0.isNumber || "._".contains($0) }
    }

    /// Returns `true` for a text that a known leak detector wrote, and that names a class or a cycle.
    static func isRecognised(_ text: String) -> Bool {
        let message = DetectorMessage(text)
        return message.detector != nil && (message.className != nil || !message.cycle.isEmpty)
    }
}
