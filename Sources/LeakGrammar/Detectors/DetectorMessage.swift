package import LeakMessage

/// The content of a leak detector's text. Every text can be read. A text of an unknown form means a leak of an unknown class,
/// unless its words, or a description of an object in it, name the class.
///
/// The known forms are the texts of every version of LeakedViewControllerDetector and its port in DebugSwift, DeallocationChecker,
/// MLeaksFinder, JCLeaksFinder, FBRetainCycleDetector, `expectDeallocation`, LifetimeTracker, RIBs and its descendants,
/// PLeakSniffer, AMLeaksFinder, OmniBase, and of `XCTAssertNil` and breakpoints.
package struct DetectorMessage: Hashable, Sendable {
    /// The detectors whose texts are known.
    package enum Detector: String, Hashable, Sendable, CaseIterable {
        case leakedViewControllerDetector, deallocationChecker, mLeaksFinder, retainCycleDetector
        case expectDeallocation, lifetimeTracker, ribs, pLeakSniffer, amLeaksFinder, omniBase, testAssertion
        case symbolicBreakpoint
    }

    /// The detector that wrote the text; `nil` for a text of an unknown form.
    package internal(set) var detector: Detector?
    /// The leaked class, cleaned by ``TypeName``, with its module; `nil` if the text names no class.
    package internal(set) var className: String?
    /// The classes from the outermost owner to the leaked object; empty if the text has no path, or if the path has only the class.
    package internal(set) var stack: [String] = []
    /// The call stack in the text; `nil` if the text has none.
    package internal(set) var callStack: CallStack?
    /// The classes of the children of a container.
    package internal(set) var children: [String] = []
    /// The class, stack, children and cycle with all their generic arguments.
    package struct WholeNames: Hashable, Sendable {
        package var className: String?
        package var stack: [String] = []
        package var children: [String] = []
        /// The classes in the order of ``DetectorMessage/cycle``.
        package var cycle: [String] = []
    }
    package internal(set) var wholeNames = WholeNames()
    /// The classes that keep each other, in the order that ``Cycle/smallestRotation(_:)`` returns. Private collection classes
    /// have their public names.
    package internal(set) var cycle: [String] = []
    /// The event; `nil` if the text does not state it.
    package internal(set) var event: LeakReport.Event?
    package internal(set) var kind: LeakReport.Kind?
    /// For a freed object, the time from the report of the leak until the object was deallocated.
    package internal(set) var livedMilliseconds: Int?
    /// The time since the object was expected to be deallocated.
    package internal(set) var waitedMilliseconds: Int?
    /// The number of instances that are alive.
    package internal(set) var alive: Int?
    /// The class that a text of an unknown form most probably names. This class is searched for only if the caller of the initializer
    /// requests it.
    package internal(set) var guessedClassName: String?
    /// The text that groups messages without a class by version 1 of the grouping rules: the part about the object, with `#`
    /// for addresses, numbers and UUIDs, and `…` for text that users typed. Empty if there is a class.
    package internal(set) var maskedText = ""
    /// The text that groups messages without a class by version 2 of the rules. Unlike ``maskedText``, it keeps digits in
    /// names, and names of types in quotes. Empty if there is a class.
    package internal(set) var template = ""

    /// Reads the part of `text` that ``redacted(_:)`` keeps, so that a text and its redacted copy in a sample give the same
    /// result. Bytes past 16 KiB are ignored.
    ///
    /// - Parameters:
    ///   - demangle: demangles the name of one type; `nil` if the text is not a mangled name.
    ///   - demangleFunction: demangles the name of one function in a call stack; `nil` if the text is not a mangled name.
    ///   - guessesClass: `true` searches for ``guessedClassName`` if the text names no class.
    package init(
        _ text: String, demangle: @escaping (String) -> String? = { _ in nil },
        demangleFunction: @escaping (String) -> String? = { _ in nil }, guessesClass: Bool = false
    ) {
        let text = Self.unwrappedLogEntry(MessageNormalizer.plain(text))
        var backtrace = Backtrace(text, demangle: demangleFunction)
        if backtrace?.isInsideJSON ?? false {
            // The frames are read from the text that redaction keeps, like everything else.
            backtrace = Backtrace(MessageRedactor.kept(of: text).text, demangle: demangleFunction)
        }
        let kept = MessageRedactor.kept(of: backtrace?.head ?? text)
        let message = kept.message
        callStack = backtrace.flatMap { $0.isInsideJSON ? $0 : $0.cut(toFitAfter: kept.text) }?.stack
        let reading = Grammar(demangle: demangle).read(message)
        detector = reading.detector
        let isClassAlone =
            reading.stack.count == 1 && reading.stack[0].utf8.elementsEqual((reading.className ?? "").utf8)
        wholeNames = WholeNames(
            className: reading.className, stack: isClassAlone ? [] : reading.stack, children: reading.children
        )
        className = wholeNames.className.map { TypeName($0).text }
        stack = wholeNames.stack.map { TypeName($0).text }
        children = wholeNames.children.map { TypeName($0).text }
        let names =
            reading.cycle.isEmpty && className == nil
            ? LeaksOutputReader.cycle(in: message, demangle: demangle) : reading.cycle
        let plainNames = names.map { TypeName($0).text }
        let start = Cycle.startOfSmallestRotation(plainNames)
        cycle = Array(plainNames[start...] + plainNames[..<start])
        wholeNames.cycle = Array(names[start...] + names[..<start])
        event = reading.event
        kind = reading.kind
        livedMilliseconds = reading.livedMilliseconds
        waitedMilliseconds = reading.waitedMilliseconds
        alive = reading.alive
        if className == nil {
            maskedText = MessageTemplate.masked(reading.subject).string
            template = MessageTemplate.template(of: reading.subject).string
            if let backtrace, backtrace.head.isEmpty, backtrace.stack.keyElements.isEmpty {
                // The call stack has no frame of the app, and there is no other text: the lines of the frames replace it.
                template = MessageTemplate.template(of: backtrace.joinedLines).string
                maskedText = MessageTemplate.masked(backtrace.joinedLines).string
            }
            if guessesClass, cycle.isEmpty {
                let json = JSONMessage(message, demangle: demangle)
                alive = alive ?? json?.alive
                guessedClassName =
                    json?.hasNoInstances ?? false
                    ? nil
                    : json?.className
                        ?? Grammar(demangle: demangle).firstDescription(in: message)
                        ?? ClassGuesser.find(in: message, demangle: demangle)
                if guessedClassName == nil, event == nil,
                    let freedClass = ClassGuesser.freedClass(in: message, demangle: demangle)
                {
                    (guessedClassName, event) = (freedClass, .freed)
                }
            }
        }
    }

    /// Returns `false` for a text that has neither a line end nor a straight double quote. Detectors print each frame of a call
    /// stack on a separate line, or in quotes in a list or in JSON. Curly quotes and HTML entities are not searched for.
    package static func mayHaveCallStack(_ text: String) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\"") }
    }

    /// Returns `text` without text that users typed or read: texts of labels, fields and alerts become `…`, and so does everything
    /// else after the address in a description. The result is still read as the same message. A text without visible characters
    /// becomes a space, since a report without a text would be rejected.
    package static func redacted(_ text: String) -> String {
        let redacted = (MessageRedactor.fixedPoint(Text(text)) { redactedOnce($0.string)[...] } ?? Text("…"))
            .string
        return redacted.isEmpty && !text.isEmpty ? " " : redacted
    }

    /// Applies one more round of ``redacted(_:)``.
    static func redactedAgain(_ text: Text) -> Text { redactedOnce(text.string)[...] }

    private static func redactedOnce(_ text: String) -> [UInt8] {
        let text = unwrappedLogEntry(MessageNormalizer.plain(text))
        if let report = SanitizerReport(text, FrameReader(demangle: { _ in nil })) {
            return report.kept(after: MessageRedactor.kept(of: report.head).text)
        }
        if let report = LeaksStackReport(text, FrameReader(demangle: { _ in nil })) { return report.kept }
        guard let backtrace = Backtrace(text), !backtrace.isInsideJSON else {
            return Array(MessageRedactor.kept(of: text).text)
        }
        let head = MessageRedactor.kept(of: backtrace.head).text
        let parts = [head] + (backtrace.cut(toFitAfter: head)?.lines ?? [])
        return Array(parts.filter { !$0.isEmpty }.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// Returns the message of a log entry in JSON, if the message names a leak. A dictionary that names a class is converted to JSON.
    /// Any other text stays unchanged.
    static func unwrappedLogEntry(_ original: Text) -> Text {
        let text = DictionaryConverter.json(original) ?? original
        guard text.first == UInt8(ascii: "{"), text.last == UInt8(ascii: "}"), JSONCallStack(text) == nil,
            let json = JSONMessage(text, demangle: { _ in nil }), json.className == nil,
            json.elements.count <= 1,
            let inner = json.logMessage, inner.utf8.count < text.count
        else { return text }
        // Any mangled name counts as a class, so that the result does not depend on the demangler.
        let message = DetectorMessage(inner, demangle: { _ in "Mangled.Name" }, guessesClass: true)
        let namesLeak = message.className != nil || message.guessedClassName != nil || !message.cycle.isEmpty
        guard namesLeak else { return text }
        let entry = unwrappedLogEntry(MessageNormalizer.plain(inner))
        guard message.callStack == nil, json.isSingle, let calls = json.callStack else { return entry }
        // The frames are appended only if the whole text still names the same leak: some messages have no clear end, and the frames
        // would be read as a part of them.
        let whole = Array(([entry] + calls.lines).joined(separator: [UInt8(ascii: "\n")]))[...]
        var wholeMessage = DetectorMessage(
            whole.string, demangle: { _ in "Mangled.Name" }, guessesClass: true)
        wholeMessage.callStack = nil
        return wholeMessage.isSameLeak(as: message) ? whole : entry
    }

    /// Returns `true` if both messages say the same about the leak. The texts that replace a missing class may differ.
    func isSameLeak(as other: DetectorMessage) -> Bool {
        var (one, other) = (self, other)
        (one.maskedText, other.maskedText) = ("", "")
        (one.template, other.template) = ("", "")
        guard one.callStack?.keyElements == other.callStack?.keyElements else { return false }
        (one.callStack, other.callStack) = (nil, nil)
        return one == other
    }
}
