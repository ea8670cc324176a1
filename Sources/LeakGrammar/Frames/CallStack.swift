internal import LeakMessage

/// A call stack: frames in the order of the text or JSON that they were read from. Frames whose numbers fall, as `leaks` prints
/// them, are reversed, so that the innermost is the first.
package struct CallStack: Hashable, Sendable {
    package let frames: [CallFrame]

    /// Prefix of the elements of ``displayedElements`` and ``keyElements``. Class names never begin with this prefix.
    private static let elementPrefix = "at "

    /// Returns the elements of ``displayedElements`` or ``keyElements`` without their prefix, or `nil` for a path of owners and
    /// for no elements.
    package static func titles(of elements: [String]) -> [String]? {
        guard !elements.isEmpty, elements.allSatisfy({ $0.hasPrefix(elementPrefix) }) else { return nil }
        return elements.map { String($0.dropFirst(elementPrefix.count)) }
    }

    /// Reads the elements of a report's `stack`, which may have been redacted by ``LeakReport/redacted(keepsUserInfo:)``.
    ///
    /// - Parameter demangle: demangles one symbol; `nil` if the text is not a mangled symbol.
    /// - Returns: `nil` for a path of owners. A call stack begins with a call frame, or with up to two other elements and then at
    ///   least two call frames, or has the heading of a crashed thread or the list of images of a `Backtrace`. Other elements are left
    ///   out.
    package init?(_ elements: [String], demangle: @escaping (String) -> String? = { _ in nil }) {
        let reader = FrameReader(demangle: demangle)
        let backtrace = Self.withoutImages(elements, reader)
        let elements = backtrace ?? Self.joined(elements)
        func frames(_ element: String) -> [(line: Text, frame: CallFrame)] {
            let text = Text(element).trimmed
            // Text typed by users may have several lines that look like frames, so redaction comes first.
            let lines =
                text.first == UInt8(ascii: "{") ? [text] : MessageRedactor.redactedName(text).lines
            return lines.compactMap { line in reader.read(line).map { (line: line, frame: $0) } }
        }
        if let lines = Self.selectedThread(elements) {
            let found = lines.compactMap { reader.read($0) }
            if !found.isEmpty {
                self.frames = found
                return
            }
        }
        guard backtrace == nil else {
            self.frames = elements.flatMap(frames).prefix(WireLimits.stackCount).map { $0.frame }
            return
        }
        // Valgrind prints a heading of several lines, each with the id of the process.
        let listed = elements.filter { !$0.hasPrefix("==") || !frames($0).isEmpty }
        guard let first = listed.prefix(1 + Self.headingLimit).firstIndex(where: { !frames($0).isEmpty })
        else { return nil }
        let found = listed[first...].flatMap(frames).prefix(WireLimits.stackCount)
        guard first == 0 || found.count >= 2 else { return nil }
        let readFrames = found.map { $0.frame }
        let isReversed = FrameReader.areOutermostFirst(found.map { $0.line })
        self.frames = isReversed ? readFrames.reversed() : readFrames
    }

    /// Returns the lines of the thread that crashed or was selected, by its heading; `nil` without such a heading.
    private static func selectedThread(_ elements: [String]) -> [Text]? {
        // Most stacks contain only one thread.
        let mayHaveHeading = elements.contains { element in
            "T* ".utf8.contains(element.utf8.first ?? 0) || element.utf8.contains(UInt8(ascii: "\n"))
        }
        guard mayHaveHeading else { return nil }
        let lines = elements.flatMap { MessageRedactor.redactedName(Text($0)).lines }
        guard let heading = lines.firstIndex(where: ThreadHeadingRecognizer.isOfCrashedOrSelectedThread)
        else {
            return nil
        }
        let frames = lines[(heading + 1)...].prefix { !ThreadHeadingRecognizer.isHeading($0) }
        return Array(frames.prefix(WireLimits.stackCount))
    }

    /// Returns the frames of the description of a `Backtrace`; `nil` for elements without its list of images.
    private static func withoutImages(_ elements: [String], _ reader: FrameReader) -> [String]? {
        guard elements.contains(where: { Text($0).contains("Images") }) else {
            return nil
        }
        let lines = elements.flatMap { MessageRedactor.redactedName(Text($0)).lines }
        return SwiftBacktraceImages.resolved(lines, reader)?.map(\.string)
    }

    /// Returns the elements with each call of Go in one line.
    private static func joined(_ elements: [String]) -> [String] {
        // `String.contains(_:)` is slow: it would take half of the time of reading a call stack.
        guard elements.contains(where: { Text($0).contains(".go:") }) else { return elements }
        let lines = elements.flatMap { MessageRedactor.redactedName(Text($0)).lines }
        return GoStack.joined(lines).map(\.string)
    }

    /// Limit of elements before the first frame, such as `Thread 0 Crashed:`.
    private static let headingLimit = 2

    init(frames: [CallFrame]) { self.frames = frames }

    /// Returns the elements of a report's `stack` in the form that may be stored: without the values of arguments and variables that
    /// debuggers and crash reporters add.
    ///
    /// Redaction is repeated until the elements no longer change. If they still change in the last round, JSON is redacted as other
    /// text is; if that does not end either, each element becomes `…`.
    static func redacted(_ elements: [String], rounds: Int = MessageRedactor.roundLimit) -> [String] {
        // Most stacks need no redaction.
        guard
            elements.contains(where: { MessageRedactor.mayChange($0) || $0.utf8.first == UInt8(ascii: "{") })
        else { return elements }
        return MessageRedactor.fixedPoint(elements, rounds: rounds, by: redactedOnce)
            ?? MessageRedactor.fixedPoint(elements) { $0.map(MessageRedactor.redactedName) }
            ?? elements.map { _ in "…" }
    }

    private static func redactedOnce(_ elements: [String]) -> [String] {
        let names = elements.map(MessageRedactor.redactedName)
        guard elements.contains(where: { $0.utf8.first == UInt8(ascii: "{") }) else { return names }
        let redacted = zip(elements, names).map { JSONFrameCodec.redacted(Text($0)) ?? $1 }
        return CallStack(redacted) == nil ? names : redacted
    }

    /// The elements for the group's key: the app's functions, without closures, code that a compiler generated, and recursion. If no
    /// function of the app has a name, the elements are offsets in the app's images. Empty if the stack has no frame of the app.
    package var keyElements: [String] {
        let appFrames = frames.filter { !$0.isSystem }
        let names = appFrames.compactMap(\.keyName)
        let elements = names.isEmpty ? appFrames.compactMap(\.offsetInImage) : names
        return Recursion.folded(elements).map { Self.elementPrefix + $0 }
    }

    /// The elements for pages and JSON. Consecutive frames without a name become one element, and so do more than two consecutive
    /// system frames.
    package var displayedElements: [String] {
        var elements: [String] = []
        var remainder = frames[...]
        while let first = remainder.first {
            let count = remainder.prefix { $0.style == first.style }.count
            let run = remainder.prefix(count)
            remainder = remainder.dropFirst(count)
            switch first.style {
            case .app: elements += run.map { Self.elementPrefix + $0.title }
            case .system where count <= Self.systemFrameLimit:
                elements += run.map { Self.elementPrefix + $0.title }
            case .system:
                var modules: [String] = []
                for module in run.compactMap(\.module) where !modules.contains(module) {
                    modules.append(module)
                }
                let names = modules.isEmpty ? "the system" : modules.prefix(3).joined(separator: ", ")
                elements.append(
                    Self.elementPrefix + "\(count) frames of \(names)\(modules.count > 3 ? ", …" : "")")
            case .unnamed:
                elements.append(Self.elementPrefix + (count == 1 ? "1 address" : "\(count) addresses"))
            }
        }
        return elements
    }

    /// The longest run of system frames that is shown frame by frame.
    private static let systemFrameLimit = 2
}

extension CallFrame {
    fileprivate enum Style {
        case app, system, unnamed
    }

    fileprivate var style: Style {
        if function == nil, offsetInImage == nil { return .unnamed }
        return isSystem ? .system : .app
    }

    /// The frame for pages, such as `closure #1 in CartModel.bind() in Shop` or `Shop + 0x41b9`.
    fileprivate var title: String {
        guard let function else {
            return (isSystem ? offsetInSystemImage : nil) ?? offsetInImage ?? "1 address"
        }
        let name = function + (module.map { " in \($0)" } ?? "")
        guard isSymbolicated || obfuscated != nil, let file else { return name }
        return "\(name) (\(file)\(line.map { ":\($0)" } ?? ""))"
    }

    /// The frame for keys, such as `CartModel.bind() in Shop`; `nil` without a name, and for code that a compiler generated for many
    /// functions.
    fileprivate var keyName: String? {
        guard let function = enclosingFunction,
            !Self.sharedCodePrefixes.contains(where: { function.hasPrefix($0) }),
            function != "objectdestroy", !function.hasPrefix("objectdestroy."), function != "objectdestroyTm"
        else { return nil }
        return function + (module.map { " in \(ImageName.withoutEnding($0))" } ?? "")
    }

    /// Beginnings of the names of code that a compiler generated for many functions.
    private static let sharedCodePrefixes = [
        "thunk for ", "outlined ", "OUTLINED_FUNCTION_", "___lldb_unnamed_symbol", "block_copy_helper",
        "block_destroy_helper", "<deduplicated_symbol>", "<compiler-generated>",
    ]

    /// The offset by the image's name, such as `libc.so.6 + 0x27249`. Symbols of system libraries are not uploaded, so a UUID would
    /// be less useful than the name.
    private var offsetInSystemImage: String? {
        offset.flatMap { offset in module.map { "\($0) + 0x\(String(offset, radix: 16))" } }
    }

    /// The offset by the image's UUID, or by its name if the UUID is not known: `Shop + 0x41b9`.
    fileprivate var offsetInImage: String? {
        guard let offset, let image = imageID ?? module.map(ImageName.withoutEnding) else { return nil }
        return "\(image) + 0x\(String(offset, radix: 16))"
    }
}

/// Functions for names of images.
private enum ImageName {
    private static let endings = [".debug.dylib", ".dylib", ".so", ".xctest", ".exe", ".kexe"]

    /// Returns the name without the ending that depends on the kind of build.
    static func withoutEnding(_ name: String) -> String {
        endings.first { name.hasSuffix($0) && name.count > $0.count }.map { String(name.dropLast($0.count)) }
            ?? name
    }
}

/// Recursion in a call stack: a function that calls itself, or a sequence of functions that is repeated.
enum Recursion {
    /// The maximum number of functions in a repeated sequence that is recognized.
    private static let sequenceLimit = 4

    /// Returns the names with only one of several consecutive equal sequences.
    static func folded(_ names: [String]) -> [String] {
        var folded: [String] = []
        for name in names {
            folded.append(name)
            for length in 1...sequenceLimit where folded.count >= 2 * length {
                let sequence = folded.suffix(length)
                guard folded.dropLast(length).suffix(length).elementsEqual(sequence) else { continue }
                folded.removeLast(length)
                break
            }
        }
        return folded
    }
}
