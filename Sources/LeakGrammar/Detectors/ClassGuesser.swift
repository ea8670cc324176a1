internal import LeakMessage

/// A search for the class in a text of an unknown form. It chooses the word that looks most like the name of a type, by its spelling
/// and by the words around it.
enum ClassGuesser {
    /// The maximum number of bytes of a text that are read.
    private static let byteLimit = 8 * 1024
    private static let nameByteLimit = 256
    /// The lowest score of a word that is accepted as the class.
    private static let minScore = 7
    /// The lowest score that is accepted in a text about memory.
    private static let minScoreInMemoryText = 6
    private static let memoryWords: [StaticString] = [
        "leak", "Leak", "LEAK", "retain", "Retain", "dealloc", "deinit", "in memory", "泄漏", "泄露", "釋放", "释放",
        "リーク", "解放", "메모리", "누수", "Speicher", "freigegeben", "fuite", "mémoire", "memoria", "memória",
        "утеч", "памят", "освобожд",
    ]

    /// Returns the class that a text most probably names.
    ///
    /// - Parameter text: the part of a message that ``MessageRedactor`` keeps.
    static func find(in text: Text, demangle: (String) -> String?) -> String? {
        let text = text.cut(to: byteLimit)
        let isAboutMemory = memoryWords.contains { text.contains($0) }
        guard
            let name = best(in: text, atLeast: isAboutMemory ? minScoreInMemoryText : minScore)
                ?? subject(ofShortText: text),
            let type = TypeName.ifNamed(name, demangle: demangle), !type.isUndemangled
        else { return nil }
        return type.wholeText
    }

    /// Returns `Cart` for a text that consists only of `Cart leaked`. In a longer text such a word may have another meaning.
    private static func subject(ofShortText text: Text) -> Text? {
        guard text.count <= shortTextByteLimit, !text.contains(UInt8(ascii: "\n")) else { return nil }
        let name: Text
        if let other = nameInOtherScript(atStartOf: text) {
            name = other
        } else {
            let line = text.drop { !$0.isLetter }
            guard text[..<line.startIndex].last ?? 0 < 0x80 else { return nil }
            name = line.prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
            // Names in camel case are judged by all words around them, in `best(in:atLeast:)`.
            guard TypeSpelling(name).isType, !TypeSpelling(name).isCamelCase,
                name.contains(where: { $0.isLetter && !$0.isUppercase }),
                !wordsOfSentences.contains(name.string.lowercased())
            else { return nil }
        }
        let words = text[name.endIndex...].map { $0.isUppercase ? $0 | 0x20 : $0 }[...]
        let around = SurroundingWords(of: name, in: text)
        guard !around.isDenied, !around.statesZeroInstances,
            let textAfter = leakPhrases.lazy.compactMap({ words.dropping($0) }).first,
            // `Cart leaked: 3 instances`
            textAfter.split(whereSeparator: { !$0.isIdentifier }).allSatisfy({
                $0.allSatisfy(\.isDigit) || wordsAfterLeakPhrases.contains($0.string)
            }), textAfter.first?.isIdentifier != true
        else { return nil }
        return name
    }

    /// Returns the first word of a text, such as `Модель`, `Éric` or `カートController`, or the word after `class `, if it has letters that
    /// are not in ASCII; `nil` for any other text. A word without a capital letter may be a word of any language, but not after `class `.
    private static func nameInOtherScript(atStartOf text: Text) -> Text? {
        let textAfterClass = text.dropping("class ") ?? text.dropping("Class ")
        let word = (textAfterClass ?? text).prefix { $0.isIdentifier }
        guard word.contains(where: { $0 >= 0x80 }) else { return nil }
        return textAfterClass != nil || word.string.contains(where: \.isUppercase) ? word : nil
    }

    private static let shortTextByteLimit = 64
    private static let leakPhrases: [StaticString] = [
        " leaked", " has leaked", " is leaking", " was not deallocated", " was not released",
        " was not freed",
        " was not deinitialized", " not deallocated", " not released", " is still in memory",
        " still in memory",
    ]
    /// Returns `true` for words that state that an object leaked, such as `has leaked`.
    static func statesLeak(_ words: Text) -> Bool {
        let words = ([UInt8(ascii: " ")] + words.prefix(32).map { $0.isUppercase ? $0 | 0x20 : $0 })[...]
        return leakPhrases.contains { words.starts(with: $0) }
    }

    private static let wordsAfterLeakPhrases: Set<String> = [
        "instance", "instances", "time", "times", "object", "objects", "after", "s", "ms", "sec", "second",
        "seconds",
    ]
    /// Words in lower case that are subjects of sentences about leaks, but not classes.
    private static let wordsOfSentences: Set<String> = [
        "memory", "something", "everything", "nothing", "anything", "someone", "somebody", "object",
        "objects", "instance",
        "instances", "this", "that", "these", "those", "they", "she", "its", "some", "all", "none", "one",
        "two", "many", "more",
        "most", "few", "each", "every", "what", "which", "who", "closure", "closures", "block", "blocks",
        "class", "classes",
        "type", "types", "leak", "leaks", "data", "water", "oil", "gas", "error", "warning", "info", "debug",
        "notice", "fatal",
        "screen", "screens", "page", "pages", "app", "application", "user", "users", "retain", "retained",
        "cycle", "cycles",
        "reference", "references", "resource", "resources", "thread", "threads", "test", "tests", "value",
        "values", "variable",
        "delegate", "view", "views", "viewcontroller", "controller", "controllers", "model", "models", "cell",
        "cells", "window",
        "windows", "button", "label", "image", "images", "text", "timer", "timers", "task", "tasks", "file",
        "files", "handle",
        "handles", "socket", "sockets", "connection", "connections", "byte", "bytes", "buffer", "buffers",
        "secret", "secrets",
        "information", "password", "passwords", "token", "tokens", "key", "keys", "credential", "credentials",
        "process",
        "processes", "heap", "stack", "service", "services", "activity", "fragment", "component",
        "coordinator", "presenter",
        "possibly", "probably", "maybe", "still", "also", "again", "not", "never", "now", "here", "there",
        "report", "details",
        "content", "contents", "document", "documents", "message", "messages", "name", "names", "allocation",
        "allocations",
        "self", "parent", "child", "children", "owner", "item", "items", "node", "nodes", "the", "and", "but",
        "you", "our",
    ]

    /// Returns the class that a text calls leaked; `nil` if there is none besides `first`, or if the words around `first` say
    /// that its object leaked.
    ///
    /// - Parameter first: the class of the first description in the text.
    static func leakedClass(insteadOf first: String, in text: Text, demangle: (String) -> String?) -> String?
    {
        let plain = withoutDescriptions(text.cut(to: byteLimit))
        guard let name = best(in: plain, atLeast: minScore),
            SurroundingWords(of: name, in: plain).score >= 5,
            let type = TypeName.ifNamed(name, demangle: demangle), !type.isUndemangled,
            type.wholeText != first,
            let described = plain.firstRange(of: Text(first)), plain[described] != name,
            SurroundingWords(of: plain[described], in: plain).score < 5
        else { return nil }
        return type.wholeText
    }

    /// Returns the text with names in place of descriptions such as `<Cart: 0x1f>`.
    private static func withoutDescriptions(_ text: Text) -> Text {
        var plain: [UInt8] = []
        var remainder = text
        for _ in 0..<Grammar.attemptLimit {
            guard let open = remainder.firstIndex(of: UInt8(ascii: "<")) else { break }
            plain += remainder[..<open]
            remainder = remainder[open...]
            guard let description = PrintedObject(remainder), description.attributes.isEmpty else {
                plain.append(UInt8(ascii: "<"))
                remainder = remainder.dropFirst()
                continue
            }
            plain += description.name
            remainder = description.remainder
        }
        return (plain + remainder)[...]
    }

    /// Returns the class of an object that was deallocated, according to the first line of a text; `nil` if the line names no such class
    /// or several.
    static func freedClass(in text: Text, demangle: (String) -> String?) -> String? {
        let line = text.cut(to: byteLimit).firstLine.line
        let names = names(in: line).filter { name in
            let spelling = TypeSpelling(name)
            return (spelling.isCamelCase || spelling.isDotted)
                && SurroundingWords(of: name, in: line).statesFreed
        }
        guard names.count == 1, let type = TypeName.ifNamed(names[0], demangle: demangle) else { return nil }
        return type.wholeText
    }

    /// Returns the word of a line that is a leaked class, according to the words around it.
    static func leakedName(in line: Text) -> Text? {
        guard let name = best(in: line, atLeast: minScore),
            SurroundingWords(of: name, in: line).score >= 5
        else { return nil }
        return name
    }

    /// Returns all words of a line that can be the names of types.
    static func names(in line: Text) -> [Text] {
        var names: [Text] = []
        var remainder = line
        while let start = remainder.firstIndex(where: { isNameStart($0) && $0 != UInt8(ascii: "$") }) {
            let name = name(at: start, in: line)
            remainder = remainder[max(name.endIndex, start + 1)...]
            if TypeSpelling(name).isType { names.append(name) }
        }
        return names
    }

    /// Returns the word with the highest score, which must be at least `minScore`.
    ///
    /// - Returns: `nil` if there is no such word, or if two words have the same score: a wrong choice would put leaks of one class
    ///   into the group of another.
    private static func best(in text: Text, atLeast minScore: Int) -> Text? {
        var best: (score: Int, name: Text)?
        var isTied = false
        var remainder = text
        while let start = remainder.firstIndex(where: isNameStart) {
            var name = name(at: start, in: text)
            remainder = text[max(name.endIndex, start + 1)...]
            name = withoutNumber(withoutMethod(name, in: text))
            guard let score = Candidate(name, in: text)?.score, score >= minScore,
                score >= best?.score ?? 0
            else { continue }
            if score == best?.score, name.elementsEqual(best?.name ?? []) { continue }
            isTied = score == best?.score
            best = (score, name)
        }
        return isTied ? nil : best?.name
    }

    /// Returns the word from an index on: letters, digits and points, with the generic arguments after them. Leaves out `.Type`,
    /// `.self`, `.deinit` and `.dealloc` at its end.
    private static func name(at start: Int, in text: Text) -> Text {
        var name = text[start...].prefix { isWordByte($0) || isLatinByte($0) || $0 == UInt8(ascii: ".") }
        while name.last == UInt8(ascii: ".") { name = name.dropLast() }
        name = name.droppingLast(".Type") ?? name.droppingLast(".self") ?? name
        name = name.droppingLast(".deinit") ?? name.droppingLast(".dealloc") ?? name
        if let end = endOfContext(at: name.endIndex, in: text) {
            let remainder = text[end...].prefix { isWordByte($0) || $0 == UInt8(ascii: ".") }
            return text[start..<remainder.endIndex]
        }
        let textAfter = text[name.endIndex...].prefix(nameByteLimit)
        guard textAfter.first == UInt8(ascii: "<"), let first = textAfter.dropFirst().first,
            isWordByte(first) || "[(".utf8.contains(first)
        else { return name }
        guard let end = Brackets.endIndexIfClosed(ofBracketAtStartOf: textAfter),
            text[end - 1] == UInt8(ascii: ">")
        else {
            return name
        }
        return text[start..<end]
    }

    /// Returns the end of the private part of a name, such as `.(unknown context at $10a3f)` or `.(Cart in _9B7A)`; `nil` if no
    /// such part begins at `start`.
    private static func endOfContext(at start: Int, in text: Text) -> Int? {
        let textAfter = text[start...].prefix(contextByteLimit)
        guard let inside = textAfter.dropping(".("), let close = inside.firstIndex(of: UInt8(ascii: ")"))
        else {
            return nil
        }
        let context = inside[..<close]
        return context.starts(with: "unknown context at ") || context.contains(" in _") ? close + 1 : nil
    }

    private static let contextByteLimit = 128

    /// Removes a long number from the end, which may be the address or the number of an object: `CartVM` for `CartVM_123456`.
    private static func withoutNumber(_ name: Text) -> Text {
        let number = name.suffix(from: name.lastIndex { !$0.isHexadecimal }.map { $0 + 1 } ?? name.endIndex)
        let digits = name.suffix(from: name.lastIndex { !$0.isDigit }.map { $0 + 1 } ?? name.endIndex)
        let front = name[..<number.startIndex]
        if number.count >= 6, number.contains(where: \.isDigit), let plain = front.droppingLast("_") {
            return plain
        }
        let plain = name[..<digits.startIndex]
        if digits.count >= 4, let plain = plain.droppingLast("_") { return plain }
        return digits.count >= 6 ? plain : name
    }

    /// Removes the name of a method after a type: `ByteBuf` for `ByteBuf.release()`.
    private static func withoutMethod(_ name: Text, in text: Text) -> Text {
        guard text[name.endIndex...].first == UInt8(ascii: "("),
            let dot = name.lastIndex(of: UInt8(ascii: ".")), dot + 1 < name.endIndex,
            name[dot + 1].isLetter, !name[dot + 1].isUppercase
        else { return name }
        return name[..<dot]
    }

    private static func isNameStart(_ byte: UInt8) -> Bool {
        byte.isLetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
            || (0xC3...0xC9).contains(byte)
    }

    /// Returns `true` for a byte of a Latin letter beyond ASCII, such as `é`. Scalars of other scripts begin with other bytes; many of
    /// these scripts write without spaces between words.
    private static func isLatinByte(_ byte: UInt8) -> Bool {
        (0xC3...0xC9).contains(byte) || (0x80...0xBF).contains(byte)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }

    /// A word of a text, and the words around it.
    private struct Candidate {
        let name: Text
        let spelling: TypeSpelling
        let words: SurroundingWords
        /// `true` for a mangled name such as `$s4Shop9CartModelC`.
        let isMangled: Bool

        /// - Returns: `nil` for a word that cannot be the name of a type.
        init?(_ name: Text, in text: Text) {
            let (spelling, isMangled) = (TypeSpelling(name), TypeNameCleaner.looksMangled(name))
            guard spelling.isType || isMangled, name.count <= nameByteLimit else { return nil }
            (self.name, self.spelling, self.isMangled) = (name, spelling, isMangled)
            words = SurroundingWords(of: name, in: text)
        }

        /// A number that is higher the more likely the word is the leaked class; `nil` for a word that cannot be this class.
        var score: Int? {
            guard !isPartOfOtherText else { return nil }
            let isGeneric =
                name.last == UInt8(ascii: ">")
                && SystemNames.hasAppType(name[(spelling.unqualifiedName.endIndex)...])
            guard spelling.isCamelCase || spelling.isDotted || isMangled || words.score >= 5 else {
                return nil
            }
            guard !words.isDenied, !words.statesZeroInstances,
                !words.namesAppOrModule || spelling.hasUsualEnding || spelling.isDotted,
                !excludedNames.contains(spelling.unqualifiedName.string),
                !SystemNames.hasSystemPrefix(spelling.unqualifiedName) || isGeneric || words.statesNameIsClass
                    || words.after.trimmed.starts(with: "instance")
            else {
                return nil
            }
            var score = (spelling.isCamelCase || isMangled ? 4 : 0) + (spelling.isDotted || isGeneric ? 2 : 0)
            if spelling.hasUsualEnding { score += 2 }
            score += words.score
            if systemPackages.contains(where: { name.starts(with: $0) }) { score -= 6 }
            return score
        }

        /// `true` if the word is part of a longer word, a path, a method or an address, or is a namespace, as in
        /// `/Shop/Cart.swift`, `-[Cart add]` and `Cart::add`.
        private var isPartOfOtherText: Bool {
            let before = words.before
            if let previous = before.last, isWordByte(previous) || "/@#-\\".utf8.contains(previous) {
                return true
            }
            // The address of an object.
            if TypeNameCleaner.withoutAddresses(name).count < name.count { return true }
            // The word is a namespace.
            if words.after.starts(with: "::") { return true }
            return before.ends(with: "-[") || before.ends(with: "+[")
                || words.after.first == UInt8(ascii: "/")
        }
    }

    private static let systemPackages: [StaticString] = [
        "android.", "androidx.", "java.", "javax.", "kotlin.", "kotlinx.", "leakcanary.", "shark.",
        "com.android.internal.", "Swift.",
        "Foundation.",
        "UIKit.",
    ]
    /// Names of tools, and words in texts of tools, that are not leaked classes.
    private static let excludedNames: Set<String> = [
        "LeakCanary", "LeakSanitizer", "AddressSanitizer", "ObjC", "UserInfo", "XCTest", "XCTAssertNil",
        "DefaultMallocZone",
        "AppDelegate", "SceneDelegate", "NSMapTable", "ViewController", "JavaScript", "TypeScript", "SwiftUI",
        "ReactNative", "Memory", "Warning", "Error", "ObjectDB", "DecorView", "PhoneWindow",
        "LeakTest", "LeakTracker", "ComObject", "ResourceLeakDetector", "OkHttpClient",
    ]

    /// Returns the name in a quotation if the words around the quotation say that the name is that of a type, and not text that a user
    /// typed.
    ///
    /// - Parameter quote: the index of the opening quote.
    static func quotedClass(at quote: Int, in text: Text) -> Text? {
        let name = name(at: quote + 1, in: text)
        guard !name.isEmpty, name.endIndex < text.endIndex, text[name.endIndex] == text[quote],
            name.count <= nameByteLimit, !name.allSatisfy({ $0 == UInt8(ascii: ".") })
        else { return nil }
        let words = SurroundingWords(of: name, in: text)
        let isLeaked = words.isAfterClass || words.isAfterLeak || words.statesRetained
        if TypeNameCleaner.looksMangled(name) { return isLeaked ? name : nil }
        let spelling = TypeSpelling(name)
        guard spelling.isType else { return nil }
        if words.isAfterKeyOfClass, spelling.isCamelCase || spelling.isDotted { return name }
        guard words.isAfterLeak || !words.introducesTypedText else { return nil }
        // Backticks are quotes of code.
        if text[quote] == UInt8(ascii: "`"), spelling.hasUsualEnding, !words.introducesTypedText {
            return name
        }
        // After other words than `class`, the name of a user may be quoted too: `leaked: "JaneDoe"`.
        return words.isAfterClass || spelling.hasUsualEnding && isLeaked ? name : nil
    }
}
