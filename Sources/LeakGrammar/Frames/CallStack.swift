internal import LeakMessage

/// A call stack: frames in the order in which they came.
package struct CallStack: Hashable, Sendable {
    package let frames: [CallFrame]

    /// Prefix of the elements of ``shown`` and ``key``. Class names never begin with it.
    private static let mark = "at "

    /// Returns the elements of ``shown`` or ``key`` without their mark, or `nil` for a path of owners.
    package static func titles(of elements: [String]) -> [String]? {
        guard !elements.isEmpty, elements.allSatisfy({ $0.hasPrefix(mark) }) else { return nil }
        return elements.map { String($0.dropFirst(mark.count)) }
    }

    /// Reads the elements of a report's `stack`, also after ``LeakReport/redacted(keepsUserInfo:)``.
    ///
    /// - Parameter demangle: demangles one symbol; `nil` if the text is not a mangled symbol.
    /// - Returns: `nil` for a path of owners: no element is a call frame, or one in front of which others stand. After up to
    ///   two lines of heading two frames make a call stack. Elements that are none are left out.
    package init?(_ elements: [String], demangle: @escaping (String) -> String? = { _ in nil }) {
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

    /// Returns the lines of the thread that a heading marks; `nil` if no heading marks one.
    private static func markedThread(_ elements: [String]) -> [Text]? {
        // Most stacks are of one thread.
        let mayHaveHeading = elements.contains { element in
            "T* ".utf8.contains(element.utf8.first ?? 0) || element.utf8.contains(UInt8(ascii: "\n"))
        }
        guard mayHaveHeading else { return nil }
        let lines = elements.flatMap { Redaction.name(Text($0)).lines }
        guard let heading = lines.firstIndex(where: ThreadHeading.isSelected) else { return nil }
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
    /// If a stack changes in every round, only its names are kept.
    static func redacted(_ elements: [String], rounds: Int = Redaction.rounds) -> [String] {
        // Most stacks need no redaction.
        guard elements.contains(where: { Redaction.mayChange($0) || $0.utf8.first == UInt8(ascii: "{") })
        else { return elements }
        return Redaction.fixedPoint(elements, rounds: rounds, by: redactedOnce)
            ?? Redaction.fixedPoint(elements) { $0.map(Redaction.name) }
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
    package var key: [String] {
        let ofApp = frames.filter { !$0.isSystem }
        let named = ofApp.compactMap(\.keyName)
        return Recursion.folded(named.isEmpty ? ofApp.compactMap(\.place) : named).map { Self.mark + $0 }
    }

    /// The elements for pages and JSON. Consecutive frames without a name, and long runs of system frames, are one element each.
    package var shown: [String] {
        var shown: [String] = []
        var remainder = frames[...]
        while let first = remainder.first {
            let count = remainder.prefix { $0.style == first.style }.count
            let run = remainder.prefix(count)
            remainder = remainder.dropFirst(count)
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
        guard isSymbolicated || obfuscated != nil, let file else { return name }
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

/// The name of an image without the parts that differ between kinds of builds.
private enum ImageName {
    private static let endings = [".debug.dylib", ".dylib", ".so", ".xctest", ".exe", ".kexe"]

    static func plain(_ name: String) -> String {
        endings.first { name.hasSuffix($0) && name.count > $0.count }.map { String(name.dropLast($0.count)) }
            ?? name
    }
}

/// Repeats in a call stack: functions that call themselves, or each other in turns.
enum Recursion {
    /// Limit of the functions in a repeated turn. Longer turns are not recognized.
    private static let longestTurn = 4

    /// Removes each repeated turn.
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
