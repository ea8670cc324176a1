internal import LeakMessage

/// The output of `leaks` for a process that ran with `MallocStackLogging`: a call stack for each leak.
///
/// Each stack has a heading `STACK OF 2 INSTANCES OF 'ROOT LEAK: <CartModel>':`. Its frames follow with falling numbers, the
/// outermost first, then `====` and the tree of the objects. Older versions print `Leak: 0x1f … CartModel  Swift  Shop`, and in
/// one of the next lines `Call stack: [thread 0x2f]: | start | main main.swift:3 | malloc`, the outermost function first.
struct LeaksStackReport {
    struct Leak {
        /// The line before the frames, in the form in which it is kept.
        let heading: Text
        /// A text that names the leaked object, as a report without frames does.
        let subject: Text
        /// The class in the heading of a stack; `nil` if it names none. Other headings are read like texts without frames.
        let className: Text?
        /// The number of objects that the heading states.
        let objectCount: Int?
        fileprivate(set) var lines: [Text] = []
        /// In the order of ``lines``, or the innermost first if all are in one line.
        fileprivate(set) var frames: [CallFrame] = []

        /// The heading and the lines of the leak as one text.
        var text: [UInt8] { Array(([heading] + lines).joined(separator: [UInt8(ascii: "\n")])) }
    }

    let leaks: [Leak]

    private static let lineLimit = 1024

    /// - Parameter normalizedText: a text that ``MessageNormalizer`` has normalized.
    /// - Returns: `nil` for a text without a leak that has a call stack, and for a text in which other text before the first leak
    ///   may be typed by a user.
    init?(_ normalizedText: Text, _ reader: FrameReader) {
        guard normalizedText.contains("STACK OF ") || normalizedText.contains("Call stack: [thread ") else {
            return nil
        }
        var leaks: [Leak] = []
        var (areFramesExpected, isInTree) = (false, false)
        // The limit is that of a sample, so that the text and its sample are read in the same way.
        let text = normalizedText.cut(to: WireLimits.messageBytes)
        for line in text.split(
            separator: UInt8(ascii: "\n"), maxSplits: Self.lineLimit, omittingEmptySubsequences: false)
        {
            let content = line.trimmed
            if let leak = Self.leak(heading: content) ?? Self.leak(olderHeading: content) {
                leaks.append(leak)
                (areFramesExpected, isInTree) = (true, false)
                continue
            }
            // The tree of a leak with a stack names the leak again.
            if content.starts(with: "====") { isInTree = true }
            if content.isEmpty { isInTree = false }
            if !isInTree, let leak = Self.leak(withoutStack: content) {
                leaks.append(leak)
                (areFramesExpected, isInTree) = (false, true)
                continue
            }
            guard !leaks.isEmpty || !Self.namesProcess(content) else { continue }
            guard !leaks.isEmpty else {
                let isPublic = !content.contains {
                    $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ";") || PrivateTextRemover.isQuote($0)
                }
                guard isPublic else { return nil }
                continue
            }
            guard areFramesExpected, !content.isEmpty else { continue }
            let call = MessageRedactor.redactedName(content)
            if leaks[leaks.count - 1].className == nil, let calls = Self.calls(inLine: call, reader) {
                leaks[leaks.count - 1].lines = [call]
                leaks[leaks.count - 1].frames = calls
                areFramesExpected = false
            } else if FrameReader.isNumberedColumns(call), let frame = reader.read(call) {
                guard leaks[leaks.count - 1].frames.count < WireLimits.stackCount else { continue }
                leaks[leaks.count - 1].lines.append(call)
                leaks[leaks.count - 1].frames.append(frame)
            } else if !leaks[leaks.count - 1].heading.starts(with: "Leak: ") {
                areFramesExpected = false
            }
        }
        guard leaks.contains(where: { !$0.frames.isEmpty }) else { return nil }
        self.leaks = leaks
    }

    /// Reads `STACK OF 2 INSTANCES OF 'ROOT LEAK: <CartModel>':`.
    private static func leak(heading: Text) -> Leak? {
        guard let number = heading.dropping("STACK OF "), let quotation = heading.droppingLast(">':") else {
            return nil
        }
        let digits = number.prefix { $0.isDigit }
        let words = quotation[digits.endIndex...]
        guard !digits.isEmpty,
            let root = words.dropping(" INSTANCE OF '") ?? words.dropping(" INSTANCES OF '"),
            let name = root.dropping("ROOT LEAK: <") ?? root.dropping("ROOT CYCLE: <")
        else { return nil }
        let kind = root[..<(name.startIndex - 3)]
        let type = Self.type(name)
        // Without a type, `malloc in load(int)` names the caller, which is one of the frames.
        let word = type ?? name.prefix { $0.isIdentifier }
        let front = heading[..<name.startIndex]
        // Without a type, the frames name the leak.
        let subject = type.map { Array([kind, Text(": <"), $0, Text(": 0x0>")].joined())[...] }
        return Leak(
            heading: Array([front, word, Text(">':")].joined())[...],
            subject: subject ?? [], className: type,
            objectCount: Int(digits.prefix(9).string).map { min($0, WireLimits.aliveCount) })
    }

    /// Reads `1 (48 bytes) ROOT LEAK: <CartModel 0x6000017041b0> [48]`, which is printed alone if no stack was recorded.
    private static func leak(withoutStack line: Text) -> Leak? {
        let digits = line.prefix { $0.isDigit }
        guard !digits.isEmpty, let size = line[digits.endIndex...].dropping(" ("),
            let bytes = size.firstRange(of: " bytes) "),
            size[bytes.upperBound...].starts(with: "ROOT LEAK: <")
                || size[bytes.upperBound...].starts(with: "ROOT CYCLE: <")
        else { return nil }
        let text = MessageRedactor.kept(of: line).text
        return Leak(heading: text, subject: text, className: nil, objectCount: nil)
    }

    /// Returns `true` for a line in the header of a report with the name of an app, which may contain an apostrophe.
    private static func namesProcess(_ line: Text) -> Bool {
        let keys: [StaticString] = ["Process:", "Path:", "Parent Process:", "Analysis Tool:"]
        return keys.contains { line.starts(with: $0) }
    }

    /// Returns the type in a heading: `NSMutableArray` for `NSMutableArray (Storage)`. `nil` for `malloc in load(int)`.
    private static func type(_ name: Text) -> Text? {
        let type = name.firstRange(of: " (").map { name[..<$0.lowerBound] } ?? name
        let isWord = type.first.map { $0.isLetter && !$0.isUppercase } ?? true
        guard !isWord || type.contains(UInt8(ascii: ".")), !type.contains(" in "),
            TypeName.ifNamed(type, demangle: { _ in nil }) != nil
        else { return nil }
        return type
    }

    /// Reads `Leak: 0x7f8e4c405a10  size=48  zone: DefaultMallocZone_0x10f2   CartModel  Swift  Shop`.
    private static func leak(olderHeading line: Text) -> Leak? {
        guard line.starts(with: "Leak: 0x") else { return nil }
        let heading = MessageRedactor.kept(of: line).text
        return Leak(heading: heading, subject: heading, className: nil, objectCount: nil)
    }

    /// Reads `Call stack: [thread 0x1e2f]: | start | main main.swift:3 | openCart() Cart.swift:12 | malloc`.
    ///
    /// - Returns: the frames, the innermost first; `nil` for any other line, and for a line with fewer than two frames.
    private static func calls(inLine line: Text, _ reader: FrameReader) -> [CallFrame]? {
        guard let thread = line.dropping("Call stack: [thread "), let end = thread.firstRange(of: "]: ")
        else {
            return nil
        }
        let calls = thread[end.upperBound...].split(separator: UInt8(ascii: "|")).map(\.trimmed)
        let frames = calls.filter { !$0.isEmpty }.map { frame($0, reader) }
        return frames.count < 2 ? nil : Array(frames.reversed().prefix(WireLimits.stackCount))
    }

    /// Reads `start`, `0x1f2e` or `openCart() Cart.swift:12`.
    private static func frame(_ call: Text, _ reader: FrameReader) -> CallFrame {
        var frame = CallFrame()
        var symbol = call
        if let space = call.lastIndex(of: UInt8(ascii: " ")),
            let position = SourcePositionParser.fileAndLine(call[(space + 1)...])
        {
            (frame.file, frame.line) = position
            symbol = call[..<space]
        }
        frame.function = FunctionNameReader.read(symbol, reader.demangle)
        // The line names no images.
        frame.isSystem =
            systemFunctions.contains { symbol.starts(with: $0) } || symbol.equals("start")
            || SystemFrames.isSystem(image: [], path: [], frame)
        return FrameReader.bounded(frame)
    }

    /// Beginnings of the names of functions that allocate objects.
    private static let systemFunctions: [StaticString] = [
        "malloc_", "_malloc_", "class_createInstance", "_class_createInstance", "operator new", "start_sim",
    ]

    /// The part of the report that is kept: the first leaks that fit into the wire format's limit for messages, without the trees
    /// of objects.
    var kept: [UInt8] {
        var keptText: [UInt8] = []
        for leak in leaks {
            let text = leak.text
            guard keptText.count + text.count < WireLimits.messageBytes || keptText.isEmpty else { break }
            if !keptText.isEmpty { keptText.append(UInt8(ascii: "\n")) }
            keptText += text
        }
        return keptText
    }
}
