internal import LeakMessage

/// A text and the call stack printed after it, in front of it or alone.
struct Backtrace {
    /// The text in front of the frames, or after them if no text is in front.
    let head: Text
    /// The lines of the frames.
    let lines: [Text]
    let stack: CallStack
    /// `true` for frames that are strings in a JSON text, which is kept whole. ``head`` is that text without them.
    var isInside = false

    /// The lines of the frames as one text.
    var wholeText: Text { Array(lines.joined(separator: [UInt8(ascii: "\n")]))[...] }

    /// Limit of lines that are read, those of the text in front included.
    private static let lineLimit = 512

    /// - Parameter text: a text that ``MessageNormalizer`` has normalized. Quotations are not read.
    /// - Returns: `nil` for a text in which no two lines one after another are call frames, and no JSON has two.
    init?(_ text: Text, demangle: @escaping (String) -> String? = { _ in nil }) {
        let reader = FrameReader(demangle: demangle)
        if let json = Backtrace(json: text, reader) {
            self = json
            return
        }
        if let entry = Backtrace(strings: text, reader) {
            self = entry
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
        // Most texts have no call stack, and are not read twice for it.
        guard text.contains(UInt8(ascii: "\n")) || !Self.startsOfJoined(text).isEmpty else { return nil }
        let text = Self.withoutFence(text, reader)
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
        // The JSON may be text that a user typed.
        guard Self.staysInFront(json.head, of: []), !json.head.contains(where: PrivateText.isQuote) else {
            return nil
        }
        self.init(
            head: Self.withoutHeading(json.head), lines: lines,
            frames: lines.compactMap { JSONFrame.read($0, reader).map(FrameReader.bounded) },
            keepsPlaces: true)
    }

    /// Reads frames that are strings in a JSON text of one leak.
    private init?(strings text: Text, _ reader: FrameReader) {
        guard text.contains(UInt8(ascii: "{")), let json = JSONMessage(text, demangle: { _ in nil }),
            json.elements.count <= 1, !json.hasElementsOfNone, let found = json.callStack
        else { return nil }
        self.init(
            head: json.withoutCallStacks, lines: found.lines,
            frames: found.lines.compactMap { reader.read($0) })
        isInside = true
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

    /// Returns `true` if a text is kept as it is in front of the lines: nothing in it is typed by users, and no description in
    /// it goes on over the lines.
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

    /// Returns `true` if everything after the address of the description is an attribute of ``plainAttributes`` or numbers.
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

    /// - Parameter text: a text without parts that users typed.
    private init?(redacted given: Text, _ reader: FrameReader) {
        let isOfGo = given.contains(".go:") && given.contains(" +0x")
        let text =
            isOfGo
            ? Array(GoStack.joined(given.lines).joined(separator: "\n".utf8))[...] : Self.parted(given)
        let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: Self.lineLimit)
        guard let first = Run(lines[...], reader), let start = first.lines.first?.startIndex else {
            return nil
        }
        var run = Self.runOfApp(insteadOf: first, in: lines, reader)
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

    /// A text with the frames that it has in one line, as `joined(separator:)` makes it of `Thread.callStackSymbols`, in lines of
    /// their own.
    private static func parted(_ text: Text) -> Text {
        let starts = startsOfJoined(text)
        guard let first = starts.first else { return text }
        var parts = [text[..<first].trimmed]
        for (start, end) in zip(starts, starts.dropFirst() + [text.endIndex]) {
            var part = text[start..<end].trimmed
            while let last = part.last, ",;|".utf8.contains(last) { part = part.dropLast().trimmed }
            parts.append(part)
        }
        return Array(parts.joined(separator: [UInt8(ascii: "\n")]))[...]
    }

    /// Returns the places where the frames of one line begin: consecutive numbers, each in front of an image and an address.
    ///
    /// - Returns: an empty array if there are fewer than two frames in one line.
    private static func startsOfJoined(_ text: Text) -> [Int] {
        guard let address = text.firstRange(of: " 0x") else { return [] }
        let newline = UInt8(ascii: "\n")
        let start = text[..<address.lowerBound].lastIndex(of: newline).map { $0 + 1 } ?? text.startIndex
        var remainder = text[start...].prefix { $0 != newline }
        var starts: [Int] = []
        var next: Int?
        while starts.count < WireLimits.stackCount, let hexadecimal = remainder.firstRange(of: " 0x") {
            let image = remainder[..<hexadecimal.lowerBound].trimmed
            remainder = remainder[hexadecimal.upperBound...]
            guard remainder.prefix(while: \.isHexadecimal).count >= 8,
                let space = image.lastIndex(of: UInt8(ascii: " "))
            else { continue }
            let front = image[..<space].trimmed
            let digits = front[(front.lastIndex { !$0.isDigit }.map { $0 + 1 } ?? front.startIndex)...]
            guard (1...3).contains(digits.count), let number = Int(digits.string),
                next.map({ $0 == number }) ?? true
            else { continue }
            if starts.isEmpty || isSeparated(front[..<digits.startIndex]) {
                starts.append(digits.startIndex)
                next = number + 1
            }
        }
        return starts.count < 2 ? [] : starts
    }

    /// Returns `true` if a text ends with a separator of list elements, or with two spaces.
    private static func isSeparated(_ text: Text) -> Bool {
        text.ends(with: "  ") || text.trimmed.last.map { ",;|".utf8.contains($0) } ?? true
    }

    /// Frames one after another.
    private struct Run {
        var frames: [CallFrame] = []
        var lines: [Text] = []
        /// Where the last one ends.
        var end = 0

        /// The first two or more frames of a text, with lines that belong to them between.
        ///
        /// - Parameter isAtStart: `true` if they have to begin with the first line.
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

    /// The first frames of the app after those of the system alone, as below `Caused by:` or `Allocated at:`.
    private static func runOfApp(insteadOf first: Run, in lines: [Text], _ reader: FrameReader) -> Run {
        var run = first
        for _ in 0..<runLimit where run.frames.allSatisfy(\.isSystem) {
            guard let next = Run(lines[...].drop { $0.startIndex < run.end }, reader) else { return first }
            run = next
        }
        return run.frames.allSatisfy(\.isSystem) ? first : run
    }

    /// Limit of runs of frames that are read.
    private static let runLimit = 8

    /// The heading and the frames of the thread that a text is about, which may be another one than the first.
    private static func markedRun(_ lines: [Text], _ reader: FrameReader) -> (heading: Text, run: Run)? {
        var remainder = lines[...]
        while let index = remainder.firstIndex(where: ThreadHeading.isMarked) {
            remainder = remainder[(index + 1)...]
            if let run = Run(remainder, reader, isAtStart: true) { return (lines[index], run) }
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

    /// - Parameter keepsPlaces: `true` if frames without a name count by their places.
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

    /// The frames for which the wire format's bound leaves room after `head`; `nil` where fewer than two are left.
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

    /// Without the fence of a code block that has nothing but frames. Around other text it is a quotation.
    private static func withoutFence(_ text: Text, _ reader: FrameReader) -> Text {
        guard text.contains("```") else { return text }
        let lines = text.split(
            separator: UInt8(ascii: "\n"), maxSplits: lineLimit, omittingEmptySubsequences: false)
        func isFence(_ line: Text) -> Bool {
            line.trimmed.dropping("```")?.allSatisfy(\.isIdentifier) ?? false
        }
        guard let open = lines.firstIndex(where: isFence) else { return text }
        let inside = lines[(open + 1)...].prefix { !isFence($0) }
        guard inside.count >= 2, inside.allSatisfy({ reader.read($0) != nil }) else { return text }
        let textAfter = lines[inside.endIndex...].dropFirst()
        return Array((lines[..<open] + inside + textAfter).joined(separator: [UInt8(ascii: "\n")]))[...]
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
