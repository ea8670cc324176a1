/// A call stack: frames in the order in which they came.
public struct CallStack: Hashable, Sendable {
    public let frames: [CallFrame]

    /// Prefix of the elements of ``shown`` and ``key``. Class names never begin with it.
    private static let mark = "at "

    /// Returns the elements of ``shown`` or ``key`` without their mark, or `nil` for a path of owners.
    public static func titles(of elements: [String]) -> [String]? {
        guard !elements.isEmpty, elements.allSatisfy({ $0.hasPrefix(mark) }) else { return nil }
        return elements.map { String($0.dropFirst(mark.count)) }
    }

    /// Reads the elements of a report's `stack`, or what ``LeakReport/redacted(keepsUserInfo:)`` keeps of them.
    ///
    /// - Parameter demangle: reads one mangled symbol; `nil` when it is none.
    /// - Returns: `nil` for a path of owners: no element is a call frame, or one in front of which others stand. Behind up to
    ///   two lines of heading two frames make a call stack. Elements that are none are left out.
    public init?(_ elements: [String], demangle: @escaping (String) -> String? = { _ in nil }) {
        let reader = FrameReader(demangle: demangle)
        let elements = Self.joined(elements)
        func frames(_ element: String) -> [CallFrame] {
            let text = Text(element).trimmed
            if text.first == UInt8(ascii: "{") { return [reader.read(text)].compactMap(\.self) }
            // Text typed by users may have several lines that look like frames, so redaction comes first.
            return Redaction.name(text).lines.compactMap { reader.read($0) }
        }
        if let marked = Self.markedThread(elements) {
            let found = marked.compactMap { reader.read($0) }
            if !found.isEmpty {
                self.frames = found
                return
            }
        }
        guard let first = elements.prefix(1 + Self.headingLimit).firstIndex(where: { !frames($0).isEmpty })
        else { return nil }
        let found = elements[first...].flatMap(frames).prefix(WireLimits.stackCount)
        guard first == 0 || found.count >= 2 else { return nil }
        self.frames = Array(found)
    }

    /// The lines of the thread that a heading marks; `nil` where none does.
    private static func markedThread(_ elements: [String]) -> [Text]? {
        // Most stacks are of one thread.
        let mayHaveHeading = elements.contains { element in
            "T* ".utf8.contains(element.utf8.first ?? 0) || element.utf8.contains(UInt8(ascii: "\n"))
        }
        guard mayHaveHeading else { return nil }
        let lines = elements.flatMap { Redaction.name(Text($0)).lines }
        guard let heading = lines.firstIndex(where: ThreadHeading.isMarked) else { return nil }
        let frames = lines[(heading + 1)...].prefix { !ThreadHeading.isHeading($0) }
        return Array(frames.prefix(WireLimits.stackCount))
    }

    /// The elements with the calls of Go in one line each.
    private static func joined(_ elements: [String]) -> [String] {
        // `String.contains(_:)` would take half of the time of reading a call stack.
        guard elements.contains(where: { Text($0).contains(".go:") }) else { return elements }
        let lines = elements.flatMap { Redaction.name(Text($0)).lines }
        return GoStack.joined(lines).map(\.string)
    }

    /// Elements in front of the first frame, such as `Thread 0 Crashed:`.
    private static let headingLimit = 2

    init(frames: [CallFrame]) { self.frames = frames }

    /// The elements of a report's `stack` as a sample may be kept: without the values of arguments and variables that
    /// debuggers and crash reporters add.
    ///
    /// Of a stack made to change for ever names stay alone.
    static func redacted(_ elements: [String], rounds: Int = Redaction.rounds) -> [String] {
        // Most stacks have nothing to take out.
        guard elements.contains(where: { Redaction.mayChange($0) || $0.utf8.first == UInt8(ascii: "{") })
        else { return elements }
        return Redaction.settled(elements, rounds: rounds, by: redactedOnce)
            ?? Redaction.settled(elements) { $0.map(Redaction.name) }
            ?? elements.map { _ in "…" }
    }

    private static func redactedOnce(_ elements: [String]) -> [String] {
        let names = elements.map(Redaction.name)
        guard elements.contains(where: { $0.utf8.first == UInt8(ascii: "{") }) else { return names }
        let redacted = zip(elements, names).map { JSONFrame.redacted(Text($0)) ?? $1 }
        return CallStack(redacted) == nil ? names : redacted
    }

    /// The elements for the group's key: the app's functions, without closures, compiler-made code and recursion; where none has a
    /// name, the places in the app's images. Empty when the stack says nothing of the app.
    public var key: [String] {
        let ofApp = frames.filter { !$0.isSystem }
        let named = ofApp.compactMap(\.keyName)
        return Recursion.folded(named.isEmpty ? ofApp.compactMap(\.place) : named).map { Self.mark + $0 }
    }

    /// The elements for pages and JSON. Consecutive frames without a name, and long runs of system frames, are one element each.
    public var shown: [String] {
        var shown: [String] = []
        var rest = frames[...]
        while let first = rest.first {
            let count = rest.prefix { $0.style == first.style }.count
            let run = rest.prefix(count)
            rest = rest.dropFirst(count)
            switch first.style {
            case .plain: shown += run.map { Self.mark + $0.title }
            case .system where count <= Self.systemFramesShown: shown += run.map { Self.mark + $0.title }
            case .system:
                var modules: [String] = []
                for module in run.compactMap(\.module) where !modules.contains(module) {
                    modules.append(module)
                }
                let names = modules.isEmpty ? "the system" : modules.prefix(3).joined(separator: ", ")
                shown.append(Self.mark + "\(count) frames of \(names)\(modules.count > 3 ? ", …" : "")")
            case .unnamed: shown.append(Self.mark + (count == 1 ? "1 address" : "\(count) addresses"))
            }
        }
        return shown
    }

    private static let systemFramesShown = 2
}

extension CallFrame {
    fileprivate enum Style {
        case plain, system, unnamed
    }

    fileprivate var style: Style {
        if function == nil, place == nil { return .unnamed }
        return isSystem ? .system : .plain
    }

    /// `closure #1 in CartModel.bind() in Shop`, `Shop + 0x41b9`
    fileprivate var title: String {
        guard let function else { return (isSystem ? systemPlace : nil) ?? place ?? "1 address" }
        let name = function + (module.map { " in \($0)" } ?? "")
        guard isNamedBySymbols || obfuscated != nil, let file else { return name }
        return "\(name) (\(file)\(line.map { ":\($0)" } ?? ""))"
    }

    /// `CartModel.bind() in Shop`; `nil` without a name, and for code that a compiler made for many functions.
    fileprivate var keyName: String? {
        guard let function = enclosingFunction,
            !Self.sharedCode.contains(where: { function.hasPrefix($0) })
        else { return nil }
        return function + (module.map { " in \(ImageName.plain($0))" } ?? "")
    }

    /// Beginnings of the names of code that a compiler made for many functions.
    private static let sharedCode = [
        "thunk for ", "outlined ", "OUTLINED_FUNCTION_", "___lldb_unnamed_symbol", "objectdestroy",
        "block_copy_helper",
        "block_destroy_helper", "<deduplicated_symbol>", "<compiler-generated>",
    ]

    /// `libc.so.6 + 0x27249`: symbols of system libraries are not uploaded, and a UUID would say less than the name.
    private var systemPlace: String? {
        offset.flatMap { offset in module.map { "\($0) + 0x\(String(offset, radix: 16))" } }
    }

    /// `Shop + 0x41b9`, by the image's UUID where it is known.
    fileprivate var place: String? {
        guard let offset, let image = imageID ?? module.map(ImageName.plain) else { return nil }
        return "\(image) + 0x\(String(offset, radix: 16))"
    }
}

/// The name of an image without what differs between kinds of builds.
private enum ImageName {
    private static let endings = [".debug.dylib", ".dylib", ".so", ".xctest", ".exe", ".kexe"]

    static func plain(_ name: String) -> String {
        endings.first { name.hasSuffix($0) && name.count > $0.count }.map { String(name.dropLast($0.count)) }
            ?? name
    }
}

/// Repeats in a call stack: functions that call themselves, or each other in turns.
enum Recursion {
    /// Longer turns are left as they are.
    private static let longestTurn = 4

    /// Leaves each repeated turn out.
    static func folded(_ names: [String]) -> [String] {
        var folded: [String] = []
        for name in names {
            folded.append(name)
            for length in 1...longestTurn where folded.count >= 2 * length {
                let turn = folded.suffix(length)
                guard folded.dropLast(length).suffix(length).elementsEqual(turn) else { continue }
                folded.removeLast(length)
                break
            }
        }
        return folded
    }
}

/// A text and the call stack printed behind it, in front of it or alone.
struct Backtrace {
    /// The text in front of the frames, or behind them if no text is in front.
    let head: Text
    /// The lines of the frames.
    let lines: [Text]
    let stack: CallStack

    /// The lines of the frames as one text.
    var wholeText: Text { Array(lines.joined(separator: [UInt8(ascii: "\n")]))[...] }

    /// Lines that are looked at, those of the text in front included.
    private static let lineLimit = 512

    /// - Parameter text: one that ``MessageText`` made plain. Quotations are not looked into.
    /// - Returns: `nil` for a text in which no two lines behind each other are call frames, and no JSON has two.
    init?(_ text: Text, demangle: @escaping (String) -> String? = { _ in nil }) {
        let reader = FrameReader(demangle: demangle)
        if let json = Backtrace(json: text, reader) {
            self = json
            return
        }
        if let report = Backtrace(sanitizer: text, reader) {
            self = report
            return
        }
        if let list = Backtrace(list: text, reader) {
            self = list
            return
        }
        // Most texts have none, and are not read twice for it.
        guard text.contains(UInt8(ascii: "\n")) else { return nil }
        if let found = Backtrace(redacted: PrivateText.removed(from: text)[...], reader) {
            self = found
            return
        }
        // The fields of a description go up to the end of the text, unless its end is certain.
        guard let (head, frames) = Self.partedAtDescription(text, reader) else { return nil }
        let line = [UInt8(ascii: "\n")]
        self.init(redacted: (PrivateText.removed(from: head) + line + frames)[...], reader)
    }

    /// Reads the frames of JSON, which are kept as one line each.
    private init?(json text: Text, _ reader: FrameReader) {
        guard let json = JSONCallStack(text) else { return nil }
        // The class that the JSON names says more.
        if !json.isReport, JSONMessage(text, demangle: { _ in nil })?.className != nil { return nil }
        let lines = json.frames.map { Text(JSONFrame.redacted($0)) }
        // The JSON may be what a user typed.
        guard Self.staysInFront(json.head, of: []), !json.head.contains(where: PrivateText.isQuote) else {
            return nil
        }
        self.init(
            head: Self.withoutHeading(json.head), lines: lines,
            frames: lines.compactMap { JSONFrame.read($0, reader) }, keepsPlaces: true)
    }

    /// Reads the first stack of a report of LeakSanitizer.
    private init?(sanitizer text: Text, _ reader: FrameReader) {
        guard let report = SanitizerReport(text, reader), let leak = report.leaks.first else { return nil }
        self.init(head: report.head, lines: leak.lines, frames: leak.frames)
    }

    /// Reads an array of quoted frames, as Swift prints `Thread.callStackSymbols` and `NSLog` an `NSArray`.
    private init?(list text: Text, _ reader: FrameReader) {
        guard text.contains(" 0x"),
            let open = text.indices.first(where: { index in
                (text[index] == UInt8(ascii: "[") || text[index] == UInt8(ascii: "("))
                    && text[(index + 1)...].first { $0 > 0x20 } == UInt8(ascii: "\"")
            })
        else { return nil }
        var lines: [Text] = []
        var frames: [CallFrame] = []
        for element in PropertyList.strings(of: text[(open + 1)...]).prefix(WireLimits.stackCount) {
            let line = Redaction.name(element[...].trimmed)
            guard !line.contains(UInt8(ascii: "\n")), let frame = reader.read(line) else { break }
            lines.append(line)
            frames.append(frame)
        }
        let head = Self.withoutLabel(text[..<open].trimmed)
        guard frames.count >= 2, Self.staysInFront(head, of: lines) else { return nil }
        self.init(head: head, lines: lines, frames: frames)
    }

    /// `leaked` of `leaked. Call stack:`
    private static func withoutLabel(_ head: Text) -> Text {
        guard let label = head.droppingLast(":") else { return head }
        let end = label.lastIndex { ".,\n".utf8.contains($0) }
        let words = label[(end.map { $0 + 1 } ?? label.startIndex)...]
        guard words.count <= 24, words.startIndex > head.startIndex,
            ["stack", "Stack", "trace", "symbols", "Symbols"].contains(where: { words.contains($0) })
        else { return head }
        return label[..<words.startIndex].trimmed
    }

    /// Returns true if a text is kept as it is in front of the lines: nothing in it is typed by users, and no description in it
    /// goes on over the lines.
    private static func staysInFront(_ head: Text, of lines: [Text]) -> Bool {
        guard !head.contains(UInt8(ascii: ";")) else { return false }
        let whole = ([head] + lines).joined(separator: [UInt8(ascii: "\n")])
        return PrivateText.removed(from: Array(whole)[...])[...] == Array(whole)[...]
    }

    /// Parts the frames at the end of a text from a description in front of them that ends with its line.
    ///
    /// - Returns: `nil` if the frames may be part of what a user typed: quotes or brackets in front do not match, or the
    ///   description has an attribute that may hold such text.
    private static func partedAtDescription(_ text: Text, _ reader: FrameReader) -> (
        head: Text, frames: Text
    )? {
        guard text.contains(UInt8(ascii: ";")) else { return nil }
        var (start, count) = (text.endIndex, 0)
        for line in text.lines.suffix(lineLimit).reversed() where !line.trimmed.isEmpty {
            guard reader.read(line) != nil else { break }
            (start, count) = (line.startIndex, count + 1)
        }
        let frames = text[start...]
        let head = withoutHeading(text[..<start].trimmed)
        guard count >= 2, head.last == UInt8(ascii: ">"), hasPlainAttributes(head),
            PrivateText.removed(from: frames)[...] == frames
        else { return nil }
        func number(of byte: UInt8) -> Int { head.count { $0 == byte } }
        let arrows = zip(head, head.dropFirst()).count { $0 == UInt8(ascii: "-") && $1 == UInt8(ascii: ">") }
        // These characters may be quotes too.
        let apostrophes = head.indices.dropFirst().dropLast().count {
            head[$0] == UInt8(ascii: "'") && head[$0 - 1].isIdentifier && head[$0 + 1].isIdentifier
        }
        let isMatched =
            "'\"`".utf8.allSatisfy { number(of: $0).isMultiple(of: 2) } && apostrophes.isMultiple(of: 2)
            && number(of: UInt8(ascii: "<")) == number(of: UInt8(ascii: ">")) - arrows
        return isMatched ? (head, frames) : nil
    }

    /// Attributes of UIKit's and AppKit's descriptions that never hold text a user typed.
    private static let plainAttributes: [StaticString] = [
        "adjustedContentInset", "alpha", "anchorPoint", "animations", "autoresize", "autoresizesSubviews",
        "baseClass", "bounds", "center", "clipsToBounds", "contentMode", "contentOffset", "contentSize",
        "dataSource", "delegate", "frame", "gestureRecognizers", "hidden", "layer", "opaque", "tag",
        "transform",
        "userInteractionEnabled",
    ]

    /// Returns true if everything behind the address of the description is an attribute of ``plainAttributes`` or numbers.
    private static func hasPlainAttributes(_ text: Text) -> Bool {
        let parts = text.split(separator: UInt8(ascii: ";"))
        guard let first = parts.first, let address = first.lastRange(of: "0x"),
            first[address.upperBound...].allSatisfy(\.isHexadecimal)
        else { return false }
        return parts.dropFirst().allSatisfy { part in
            let attribute = part.trimmed
            let name = attribute.prefix { $0.isIdentifier }
            let isPlain = plainAttributes.contains { name.equals($0) }
            if isPlain, attribute[name.endIndex...].starts(with: " = ") { return true }
            // The mark of what was removed, and the second half of `frame = (0 0; 1 1)`.
            return attribute.equals("…>")
                || attribute.allSatisfy { $0.isDigit || " .,-()>".utf8.contains($0) }
        }
    }

    /// - Parameter text: without what users typed.
    private init?(redacted given: Text, _ reader: FrameReader) {
        let isOfGo = given.contains(".go:") && given.contains(" +0x")
        let text = isOfGo ? Array(GoStack.joined(given.lines).joined(separator: "\n".utf8))[...] : given
        let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: Self.lineLimit)
        guard let first = Run(lines[...], reader), let start = first.lines.first?.startIndex else {
            return nil
        }
        var run = first
        var head = text[..<start].trimmed
        if let marked = Self.markedRun(lines, reader), marked.run.lines.first?.startIndex != start {
            run = marked.run
            head = text[..<min(start, marked.heading.startIndex)].trimmed
            head = Self.withoutThreads(Self.withoutHeading(head))
            // Alone it stands for the text, as that of a single thread does.
            if head.isEmpty { head = marked.heading.trimmed }
        }
        head = Self.withoutHeading(head)
        if head.isEmpty {
            head = Self.sentence(behindFrames: text[run.end...], reader)
            guard Self.staysInFront(head, of: run.lines) else { return nil }
        }
        self.init(head: head, lines: run.lines, frames: run.frames)
    }

    /// Frames behind each other.
    private struct Run {
        var frames: [CallFrame] = []
        var lines: [Text] = []
        /// Where the last one ends.
        var end = 0

        /// The first two or more frames of a text, with lines that belong to them between.
        ///
        /// - Parameter isAtStart: whether they have to begin with the first line.
        init?(_ text: ArraySlice<Text>, _ reader: FrameReader, isAtStart: Bool = false) {
            for line in text {
                if let frame = reader.read(line) {
                    end = line.endIndex
                    guard frames.count < WireLimits.stackCount else { continue }
                    frames.append(frame)
                    lines.append(line.trimmed)
                } else if !frames.isEmpty, Backtrace.isBetweenFrames(line.trimmed) {
                    continue
                } else if frames.count >= 2 || isAtStart {
                    break
                } else {
                    (frames, lines) = ([], [])
                }
            }
            guard frames.count >= 2 else { return nil }
        }
    }

    /// The heading and the frames of the thread that a text is about, which may be another one than the first.
    private static func markedRun(_ lines: [Text], _ reader: FrameReader) -> (heading: Text, run: Run)? {
        var rest = lines[...]
        while let index = rest.firstIndex(where: ThreadHeading.isMarked) {
            rest = rest[(index + 1)...]
            if let run = Run(rest, reader, isAtStart: true) { return (lines[index], run) }
        }
        return nil
    }

    /// Without last lines such as `Thread 0 name: loader`.
    private static func withoutThreads(_ text: Text) -> Text {
        var text = text
        while !text.isEmpty {
            let start = text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.startIndex
            guard ThreadHeading.isHeading(text[start...]) else { return text }
            text = text[..<start].trimmed
        }
        return text
    }

    /// - Parameter keepsPlaces: whether frames without a name count by their places.
    private init?(head: Text, lines: [Text], frames given: [CallFrame], keepsPlaces: Bool = false) {
        var frames = given
        // Numbers in most texts are masked where groups are looked up: names alone count, and none with a time in it.
        for index in frames.indices {
            if !keepsPlaces { frames[index].offset = nil }
            if frames[index].function.map({ Text($0).contains("after ") }) ?? false {
                frames[index].function = nil
            }
            if frames[index].module.map({ Text($0).contains("after ") }) ?? false {
                frames[index].module = nil
            }
        }
        (self.head, self.lines, stack) = (head, lines, CallStack(frames: frames))
        guard head.isEmpty else { return }
        // Alone, addresses say less than their text, and two lines have to fit into what is kept.
        let shortest = lines.prefix(2).reduce(0) { $0 + $1.count + 1 }
        guard frames.contains(where: { $0.function != nil || $0.offset != nil }),
            shortest <= WireLimits.messageBytes
        else {
            return nil
        }
    }

    /// Lines that backtraces have between their frames: gaps of Dart, and the source that Swift 6 prints.
    fileprivate static func isBetweenFrames(_ line: Text) -> Bool {
        line.equals("<asynchronous suspension>") || line.equals("...")
            || line.drop { $0.isDigit || " *".utf8.contains($0) }.starts(with: "│")
    }

    /// The text between the frames that a message begins with and its next call stack.
    private static func sentence(behindFrames text: Text, _ reader: FrameReader) -> Text {
        let lines = text.lines.prefix(lineLimit - WireLimits.stackCount)
        var sentence = lines.prefix { reader.read($0) == nil }
        if sentence.count < lines.count, sentence.last?.trimmed.last == UInt8(ascii: ":") {
            sentence.removeLast()
        }
        return sentence.last.map { withoutHeading(text[..<$0.endIndex].trimmed) } ?? []
    }

    private init(head: Text, lines: [Text], stack: CallStack) {
        (self.head, self.lines, self.stack) = (head, lines, stack)
    }

    /// The frames for which the wire format's bound leaves room behind `head`; `nil` where fewer than two are left.
    func cut(behind head: Text) -> Backtrace? {
        var left = WireLimits.messageBytes - head.count
        let count = lines.prefix { line in
            left -= 1 + line.count
            return left >= 0
        }.count
        guard count < lines.count else { return self }
        let stack = CallStack(frames: Array(stack.frames.prefix(count)))
        return count < 2 ? nil : Backtrace(head: self.head, lines: Array(lines.prefix(count)), stack: stack)
    }

    /// Without last lines such as `Call stack:`.
    private static func withoutHeading(_ text: Text) -> Text {
        var text = text
        while text.last == UInt8(ascii: ":"), let end = text.lastIndex(of: UInt8(ascii: "\n")),
            text[end...].count <= 64
        {
            text = text[..<end].trimmed
        }
        return text
    }
}
