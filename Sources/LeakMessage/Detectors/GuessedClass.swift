/// Finds the class that a text of no known form speaks of: the word that looks most like the name of a type, by its
/// spelling and by the words around it.
enum GuessedClass {
    /// Bytes of a text that are looked at.
    private static let byteLimit = 8 * 1024
    private static let nameByteLimit = 256
    /// Below it a text names no class.
    private static let leastScore = 6

    /// - Parameter text: what ``Redaction`` keeps of a message.
    static func find(in text: Text, demangle: (String) -> String?) -> String? {
        let text = text.cut(to: byteLimit)
        var best: (score: Int, name: Text)?
        var rest = text
        while let start = rest.firstIndex(where: { $0.isLetter || $0 == UInt8(ascii: "_") }) {
            let name = name(at: start, in: text)
            rest = text[max(name.endIndex, start + 1)...]
            guard let score = Candidate(name, in: text).score, score >= leastScore, score > best?.score ?? 0
            else { continue }
            best = (score, name)
        }
        guard let best, let type = TypeName.ifNamed(best.name, demangle: demangle), !type.isUndemangled else {
            return nil
        }
        return type.text
    }

    /// Letters, digits and points from an index on, with generic arguments behind them.
    private static func name(at start: Int, in text: Text) -> Text {
        var name = text[start...].prefix { isWord($0) || $0 == UInt8(ascii: ".") }
        while name.last == UInt8(ascii: ".") { name = name.dropLast() }
        let behind = text[name.endIndex...].prefix(nameByteLimit)
        guard behind.first == UInt8(ascii: "<"), behind.dropFirst().first.map(isWord) ?? false else {
            return name
        }
        let end = Brackets.end(behind)
        return text[end - 1] == UInt8(ascii: ">") ? text[start..<end] : name
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }

    /// A word of a text, and what stands around it.
    private struct Candidate {
        let name: Text
        let before: Text
        let after: Text
        /// The name behind modules, packages and outer types, without underscores in front and generic arguments.
        let last: Text

        init(_ name: Text, in text: Text) {
            self.name = name
            before = text[..<name.startIndex].suffix(48)
            after = text[name.endIndex...].prefix(48)
            let path = name.prefix { $0 != UInt8(ascii: "<") }
            let word = path.lastIndex(of: UInt8(ascii: ".")).map { path[($0 + 1)...] } ?? path
            last = word.drop { $0 == UInt8(ascii: "_") }
        }

        /// How likely the word is the class; `nil` for a word that is the name of no type.
        var score: Int? {
            guard last.first?.isUppercase ?? false, last.count >= 3, name.count <= nameByteLimit,
                !isPartOfPath
            else {
                return nil
            }
            let isDotted = name.contains(UInt8(ascii: "."))
            guard hasHump || isDotted || !isPlainWord else { return nil }
            guard !others.contains(last.string),
                !SystemNames.isSystem(last) || after.trimmed.starts(with: "instance")
            else {
                return nil
            }
            var score = (hasHump ? 4 : 0) + (isDotted ? 2 : 0)
            if endings.contains(where: { last.ends(with: $0) && last.count > $0.utf8CodeUnitCount }) {
                score += 2
            }
            score += scoreBefore + scoreAfter
            if systemPackages.contains(where: { name.starts(with: $0) }) { score -= 6 }
            return score
        }

        /// `HomeViewModel`, and not `HOME` or `Home`.
        private var hasHump: Bool {
            zip(last, last.dropFirst()).contains {
                ($0.isLetter && !$0.isUppercase || $0.isDigit) && $1.isUppercase
            }
        }

        /// A word that a sentence begins with, or an abbreviation.
        private var isPlainWord: Bool { scoreBefore + scoreAfter < 5 }

        /// `/Shop/Cart.swift`, `-[Cart add]`, `Cart.swift:9`
        private var isPartOfPath: Bool {
            if let previous = before.last, "/@#-\\".utf8.contains(previous) { return true }
            return before.ends(with: "-[") || before.ends(with: "+[") || after.first == UInt8(ascii: "/")
        }

        private var scoreBefore: Int {
            let words = before.map { $0.isUppercase ? $0 | 0x20 : $0 }[...]
            let isAtStart = before.isEmpty || before.trimmed.isEmpty
            if cuesBefore.contains(where: { words.ends(with: $0) }) { return 5 }
            if weakCuesBefore.contains(where: { words.ends(with: $0) }) { return 2 }
            // The tag of a logger: `LeakMonitor: …`.
            return isAtStart && after.starts(with: ": ") ? -6 : 0
        }

        private var scoreAfter: Int {
            let words = after.drop {
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: ">")
            }
            if cuesAfter.contains(where: { words.starts(with: $0) }) { return 5 }
            if after.starts(with: "(") || after.starts(with: "=") { return -3 }
            if words.starts(with: "0x") || after.starts(with: "@") || after.starts(with: "  ObjC")
                || after.starts(with: "  Swift")
            {
                return 3
            }
            return after.starts(with: ":\n") ? 2 : 0
        }
    }

    private static let endings: [StaticString] = [
        "Controller", "ViewModel", "VC", "VM", "Presenter", "Interactor", "Coordinator", "View", "Page",
        "Screen", "Activity",
        "Fragment", "Service", "Manager", "Loader", "Model", "Store", "Cell", "Repository", "Provider",
        "Component", "Router",
        "Handler", "Client", "Session", "Reducer", "Widget", "State",
    ]
    private static let cuesBefore: [StaticString] = [
        "class ", "class: ", "instance of ", "of type ", "type: ", "leak of ", "leak in ", "leak: ",
        "leaked ", "leaked: ",
        "leaks ", "leaking ", "leaking: ", "detected in ", "path to ", "deallocation of ", "dealloc of ",
        "deinit of ", "retained ",
        "release ", "object: ", "object of ", "zombie: ", "╰→ ", "instance → ", "deallocate ", "for object ",
    ]
    private static let weakCuesBefore: [StaticString] = [
        "in ", "but ", "that ", "object ", "instance ", "of ", "→ ", "<",
    ]
    private static let cuesAfter: [StaticString] = [
        "leaked", "has leaked", "have leaked", "is leaking", "leaks", "leaking", "was leaked",
        "was not released",
        "was not deallocated", "was not deinit", "was not freed", "wasn't", "not released", "not deallocated",
        "not freed",
        "is still", "still ", "is a zombie", "is not ", "did not ", "didn't ", "should ", "never ",
        "instance", "remains", "retained",
        "survived", "outlived", "has not been", "is alive", "was retained", "is retained",
        "is being retained",
    ]
    private static let systemPackages: [StaticString] = [
        "android.", "androidx.", "java.", "javax.", "kotlin.", "kotlinx.", "leakcanary.", "shark.", "Swift.",
        "Foundation.",
        "UIKit.",
    ]
    /// Names of tools, and words of their texts.
    private static let others: Set<String> = [
        "LeakCanary", "LeakSanitizer", "AddressSanitizer", "ObjC", "UserInfo", "XCTest", "XCTAssertNil",
        "DefaultMallocZone",
        "AppDelegate", "SceneDelegate", "NSMapTable", "ViewController", "JavaScript", "TypeScript", "SwiftUI",
        "ReactNative",
    ]
}
