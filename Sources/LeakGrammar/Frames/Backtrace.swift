internal import LeakMessage

/// A call stack in a text of a detector, and the text before it or after it.
struct Backtrace {
    /// The text before the frames, or the text after them if nothing is before them.
    let head: Text
    /// The lines of the frames, one line per frame.
    let lines: [Text]
    let stack: CallStack
    /// `true` if the frames are strings in a JSON text, which is kept whole. ``head`` is then the JSON text without these strings.
    var isInsideJSON = false

    /// The lines of the frames as one text.
    var joinedLines: Text { Array(lines.joined(separator: [UInt8(ascii: "\n")]))[...] }

    /// Limit of lines that are read, including the lines before the frames.
    private static let lineLimit = 512

    /// - Parameter text: a text that ``MessageNormalizer`` has normalized. Frames in quoted text are not read.
    /// - Returns: `nil` for a text without two consecutive call frames, in lines, in a list or in JSON.
    init?(_ text: Text, demangle: @escaping (String) -> String? = { _ in nil }) {
        let reader = FrameReader(demangle: demangle)
        if let json = Backtrace(json: text, reader) {
            self = json
            return
        }
        if let strings = Backtrace(strings: text, reader) {
            self = strings
            return
        }
        if let report = Backtrace(sanitizer: text, reader) {
            self = report
            return
        }
        if let report = Backtrace(leaks: text, reader) {
            self = report
            return
        }
        if let list = Backtrace(list: text, reader) {
            self = list
            return
        }
        // Most texts contain no call stack. This check avoids reading them again.
        guard text.contains(UInt8(ascii: "\n")) || !Self.startsOfFramesInOneLine(text).isEmpty else {
            return nil
        }
        let text = Self.withoutFence(text, reader)
        if let found = Backtrace(redacted: PrivateTextRemover.removed(from: text)[...], reader) {
            self = found
            return
        }
        // The attributes of a description extend to the end of the text, unless the end of the description is certain.
        guard let (head, frames) = Self.splitAfterDescription(text, reader) else { return nil }
        let lineEnd = [UInt8(ascii: "\n")]
        self.init(redacted: (PrivateTextRemover.removed(from: head) + lineEnd + frames)[...], reader)
    }

    /// Reads a call stack in JSON. Each frame is kept as one line of JSON.
    private init?(json text: Text, _ reader: FrameReader) {
        guard let json = JSONCallStack(text) else { return nil }
        // If the JSON names a class, the class is more useful than the frames.
        if !json.isCrashOrDiagnostic, JSONMessage(text, demangle: { _ in nil })?.className != nil {
            return nil
        }
        let lines = json.frames.map { Text(JSONFrameCodec.redacted($0)) }
        // If a quote precedes the JSON, the JSON may be text that a user typed.
        guard Self.isPublicText(json.head, before: []), !json.head.contains(where: PrivateTextRemover.isQuote)
        else {
            return nil
        }
        self.init(
            head: Self.withoutHeading(json.head), lines: lines,
            frames: lines.compactMap { JSONFrameCodec.read($0, reader).map(FrameReader.bounded) },
            keepsOffsets: true)
    }

    /// Reads frames that are strings in a JSON text of one leak.
    private init?(strings text: Text, _ reader: FrameReader) {
        guard text.contains(UInt8(ascii: "{")), let json = JSONMessage(text, demangle: { _ in nil }),
            json.elements.count <= 1, !json.hasElementsWithoutInstances, let callStack = json.callStack
        else { return nil }
        self.init(
            head: json.withoutCallStacks, lines: callStack.lines,
            frames: callStack.lines.compactMap { reader.read($0) })
        isInsideJSON = true
    }

    /// Reads the call stack of the first leak in a report of LeakSanitizer.
    private init?(sanitizer text: Text, _ reader: FrameReader) {
        guard let report = SanitizerReport(text, reader), let leak = report.leaks.first else { return nil }
        self.init(head: report.head, lines: leak.lines, frames: leak.frames, keepsOffsets: true)
    }

    /// Reads the call stack of the first leak in the output of `leaks` with recorded stacks.
    private init?(leaks text: Text, _ reader: FrameReader) {
        guard let leak = LeaksStackReport(text, reader)?.leaks.first, !leak.frames.isEmpty else { return nil }
        self.init(head: leak.subject, lines: leak.lines, frames: leak.frames, keepsOffsets: true)
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
        for element in PropertyListReader.strings(of: text[(open + 1)...]).prefix(WireLimits.stackCount) {
            let line = MessageRedactor.redactedName(element[...].trimmed)
            guard !line.contains(UInt8(ascii: "\n")), let frame = reader.read(line) else { break }
            lines.append(line)
            frames.append(frame)
        }
        let head = Self.withoutLabel(text[..<open].trimmed)
        guard frames.count >= 2, Self.isPublicText(head, before: lines) else { return nil }
        self.init(head: head, lines: lines, frames: frames)
    }

    /// Removes the label of a call stack from the end: `leaked.` for `leaked. Call stack:`.
    private static func withoutLabel(_ head: Text) -> Text {
        guard let label = head.droppingLast(":") else { return head }
        let end = label.lastIndex { ".,\n".utf8.contains($0) }
        let words = label[(end.map { $0 + 1 } ?? label.startIndex)...]
        guard words.count <= 24, words.startIndex > head.startIndex,
            ["stack", "Stack", "trace", "symbols", "Symbols"].contains(where: { words.contains($0) })
        else { return head }
        return label[..<words.startIndex].trimmed
    }

    /// Returns `true` if `head` followed by `lines` contains no text that users typed: ``PrivateTextRemover`` would remove
    /// nothing from it, and `head` has no semicolon, which separates attributes of an object.
    private static func isPublicText(_ head: Text, before lines: [Text]) -> Bool {
        guard !head.contains(UInt8(ascii: ";")) else { return false }
        let whole = ([head] + lines).joined(separator: [UInt8(ascii: "\n")])
        return PrivateTextRemover.removed(from: Array(whole)[...])[...] == Array(whole)[...]
    }

    /// Splits a text into a description and the frames after it, if the line before the first frame ends with the `>` of the
    /// description.
    ///
    /// - Returns: `nil` if the text does not end with a description with attributes and at least two frames, or if the frames
    ///   may be part of text that a user typed: quotes or brackets before the frames do not match, or the description has an
    ///   attribute that may contain such text.
    private static func splitAfterDescription(_ text: Text, _ reader: FrameReader) -> (
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
            PrivateTextRemover.removed(from: frames)[...] == frames
        else { return nil }
        func occurrences(of byte: UInt8) -> Int { head.count { $0 == byte } }
        let arrows = zip(head, head.dropFirst()).count { $0 == UInt8(ascii: "-") && $1 == UInt8(ascii: ">") }
        // Apostrophes inside of words are the same characters as quotes, so their number must be even too.
        let apostrophes = head.indices.dropFirst().dropLast().count {
            head[$0] == UInt8(ascii: "'") && head[$0 - 1].isIdentifier && head[$0 + 1].isIdentifier
        }
        let hasMatchingMarks =
            "'\"`".utf8.allSatisfy { occurrences(of: $0).isMultiple(of: 2) } && apostrophes.isMultiple(of: 2)
            && occurrences(of: UInt8(ascii: "<")) == occurrences(of: UInt8(ascii: ">")) - arrows
        return hasMatchingMarks ? (head, frames) : nil
    }

    /// Attributes of UIKit's and AppKit's descriptions that never hold text a user typed.
    private static let plainAttributes: [StaticString] = [
        "adjustedContentInset", "alpha", "anchorPoint", "animations", "autoresize", "autoresizesSubviews",
        "baseClass", "bounds", "center", "clipsToBounds", "contentMode", "contentOffset", "contentSize",
        "dataSource", "delegate", "frame", "gestureRecognizers", "hidden", "layer", "opaque", "tag",
        "transform",
        "userInteractionEnabled",
    ]

    /// Returns `true` if after the address of the description only attributes of ``plainAttributes`` and numbers follow.
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
            // The mark of removed text, or the second half of `frame = (0 0; 1 1)`.
            return attribute.equals("…>")
                || attribute.allSatisfy { $0.isDigit || " .,-()>".utf8.contains($0) }
        }
    }

    /// Reads frames that are on separate lines, or in one line with a number before each.
    ///
    /// - Parameter redactedText: a text without parts that users typed.
    private init?(redacted redactedText: Text, _ reader: FrameReader) {
        let isGoTrace = redactedText.contains(".go:") && redactedText.contains(" +0x")
        let text =
            isGoTrace
            ? Array(GoStack.joined(redactedText.lines).joined(separator: "\n".utf8))[...]
            : Self.withOneFramePerLine(redactedText)
        let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: Self.lineLimit)
        guard let first = FrameRun(lines[...], reader), let start = first.lines.first?.startIndex else {
            return nil
        }
        var run = Self.appRun(insteadOf: first, in: lines, reader)
        var head = text[..<start].trimmed
        if first.followsSentence { head = (head.droppingLast(":") ?? head).trimmed }
        if let selected = Self.selectedRun(lines, reader), selected.run.lines.first?.startIndex != start {
            run = selected.run
            head = text[..<min(start, selected.heading.startIndex)].trimmed
            head = Self.withoutThreadHeadings(Self.withoutHeading(head))
            // Without other text, the heading of the thread is the text, as in a text with a single thread.
            if head.isEmpty { head = selected.heading.trimmed }
        }
        head = Self.withoutHeading(head)
        if head.isEmpty {
            head = Self.sentence(afterFrames: text[run.end...], reader)
            guard Self.isPublicText(head, before: run.lines) else { return nil }
        }
        self.init(head: head, lines: run.lines, frames: run.frames)
    }

    /// Returns the text with each frame on its own line, if one line has several frames: `joined(separator:)` of
    /// `Thread.callStackSymbols` gives such a line.
    private static func withOneFramePerLine(_ text: Text) -> Text {
        let starts = startsOfFramesInOneLine(text)
        guard let first = starts.first else { return text }
        var parts = [text[..<first].trimmed]
        for (start, end) in zip(starts, starts.dropFirst() + [text.endIndex]) {
            var part = text[start..<end].trimmed
            while let last = part.last, ",;|".utf8.contains(last) { part = part.dropLast().trimmed }
            parts.append(part)
        }
        return Array(parts.joined(separator: [UInt8(ascii: "\n")]))[...]
    }

    /// Returns the indices at which the frames of one line begin: consecutive numbers, each before an image and an address.
    ///
    /// - Returns: an empty array if there are fewer than two frames in one line.
    private static func startsOfFramesInOneLine(_ text: Text) -> [Int] {
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
            if starts.isEmpty || endsWithSeparator(front[..<digits.startIndex]) {
                starts.append(digits.startIndex)
                next = number + 1
            }
        }
        return starts.count < 2 ? [] : starts
    }

    /// Returns `true` if a text is blank, or ends with a separator of list elements or with two spaces.
    private static func endsWithSeparator(_ text: Text) -> Bool {
        text.ends(with: "  ") || text.trimmed.last.map { ",;|".utf8.contains($0) } ?? true
    }

    /// Consecutive frames.
    private struct FrameRun {
        var frames: [CallFrame] = []
        var lines: [Text] = []
        /// The index at which the last frame ends.
        var end = 0
        /// `true` if other text is before the first frame in its line.
        var followsSentence = false

        /// Reads the first two or more consecutive frames of a text. Lines that backtraces print between frames may separate them.
        ///
        /// - Parameter isAtStart: `true` if the frames have to begin with the first line.
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
            // A log writes the same words before each line. Other words are a sentence: `CartModel leaked: 0   Shop   0x…`.
            let words = FrameReader.wordsBeforeFrame(in: lines[0])
            if !words.isEmpty, words != FrameReader.wordsBeforeFrame(in: lines[1]) {
                lines[0] = FrameReader.fromFrame(lines[0])
                followsSentence = true
            }
        }
    }

    /// Returns the next run that has a frame of the app if `first` has only frames of the system. Such a run follows `Caused by:` or
    /// `Allocated at:`.
    private static func appRun(insteadOf first: FrameRun, in lines: [Text], _ reader: FrameReader) -> FrameRun
    {
        var run = first
        for _ in 0..<frameRunLimit where run.frames.allSatisfy(\.isSystem) {
            guard let next = FrameRun(lines[...].drop { $0.startIndex < run.end }, reader) else {
                return first
            }
            run = next
        }
        return run.frames.allSatisfy(\.isSystem) ? first : run
    }

    /// Limit of runs of frames that are read.
    private static let frameRunLimit = 8

    /// Returns the heading and the frames of the thread that crashed or was selected, which need not be the first thread.
    private static func selectedRun(_ lines: [Text], _ reader: FrameReader) -> (heading: Text, run: FrameRun)?
    {
        var remainder = lines[...]
        while let index = remainder.firstIndex(where: ThreadHeadingRecognizer.isOfCrashedOrSelectedThread) {
            remainder = remainder[(index + 1)...]
            if let run = FrameRun(remainder, reader, isAtStart: true) { return (lines[index], run) }
        }
        return nil
    }

    /// Removes headings of threads, such as `Thread 0 name: loader`, from the end of a text.
    private static func withoutThreadHeadings(_ text: Text) -> Text {
        var text = text
        while !text.isEmpty {
            let start = text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.startIndex
            guard ThreadHeadingRecognizer.isHeading(text[start...]) else { return text }
            text = text[..<start].trimmed
        }
        return text
    }

    /// Creates a backtrace of frames that were read; `nil` if they say too little.
    ///
    /// - Parameter keepsOffsets: `true` if frames without a name are distinguished by their offsets.
    private init?(head: Text, lines: [Text], frames: [CallFrame], keepsOffsets: Bool = false) {
        let isReversed = FrameReader.areOutermostFirst(lines)
        let lines = isReversed ? lines.reversed() : lines
        var frames = isReversed ? frames.reversed() : frames
        // The offsets of a program without names differ in each build, so most texts are grouped by names alone. A name with
        // `after ` is left out, because a time, which is masked in the text that groups are looked up by, may follow this word.
        for index in frames.indices {
            if !keepsOffsets { frames[index].offset = nil }
            if frames[index].function.map({ Text($0).contains("after ") }) ?? false {
                frames[index].function = nil
            }
            if frames[index].module.map({ Text($0).contains("after ") }) ?? false {
                frames[index].module = nil
            }
        }
        (self.head, self.lines, stack) = (head, lines, CallStack(frames: frames))
        guard head.isEmpty else { return }
        // Without a name or an offset, frames say less than the text that contains them, so that text is read instead. At least
        // two lines have to fit into the part of the text that is kept.
        let byteCountOfTwo = lines.prefix(2).reduce(0) { $0 + $1.count + 1 }
        guard frames.contains(where: { $0.function != nil || $0.offset != nil }),
            byteCountOfTwo <= WireLimits.messageBytes
        else {
            return nil
        }
    }

    /// Returns `true` for a line that backtraces print between frames: `<asynchronous suspension>` of Dart, `47  ...` for frames that
    /// Swift 6 leaves out, or a line of source code, which Swift 6 prints too.
    fileprivate static func isBetweenFrames(_ line: Text) -> Bool {
        line.equals("<asynchronous suspension>") || line.drop { $0.isDigit || $0 <= 0x20 }.equals("...")
            || isSourceCode(line.drop { $0.isDigit || " *".utf8.contains($0) })
    }

    private static func isSourceCode(_ line: Text) -> Bool {
        line.starts(with: "│") || line.starts(with: "|")
    }

    /// Returns the text between the frames at the start of a message and the next call stack of the message.
    private static func sentence(afterFrames text: Text, _ reader: FrameReader) -> Text {
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

    /// Returns the first frames that fit after `head` into the wire format's limit for messages; `nil` if fewer than two fit.
    func cut(toFitAfter head: Text) -> Backtrace? {
        var byteCountLeft = WireLimits.messageBytes - head.count
        let count = lines.prefix { line in
            byteCountLeft -= 1 + line.count
            return byteCountLeft >= 0
        }.count
        guard count < lines.count else { return self }
        let stack = CallStack(frames: Array(stack.frames.prefix(count)))
        return count < 2 ? nil : Backtrace(head: self.head, lines: Array(lines.prefix(count)), stack: stack)
    }

    /// Removes the fence of a code block that contains only frames. A fence around other text marks quoted text and stays.
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
        let linesAfter = lines[inside.endIndex...].dropFirst()
        return Array((lines[..<open] + inside + linesAfter).joined(separator: [UInt8(ascii: "\n")]))[...]
    }

    /// Removes lines of up to 64 bytes with a colon at their end, such as `Call stack:`, from the end of a text. Keeps the first
    /// line.
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
