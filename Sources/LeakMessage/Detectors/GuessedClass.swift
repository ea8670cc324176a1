/// Finds the class that a text of no known form speaks of: the word that looks most like the name of a type, by its
/// spelling and by the words around it.
enum GuessedClass {
    /// Bytes of a text that are looked at.
    private static let byteLimit = 8 * 1024
    private static let nameByteLimit = 256
    /// Below it a text names no class.
    private static let leastScore = 7

    /// - Parameter text: what ``Redaction`` keeps of a message.
    static func find(in text: Text, demangle: (String) -> String?) -> String? {
        let text = text.cut(to: byteLimit)
        var best: (score: Int, name: Text)?
        // Two classes that are as likely: either would put the leaks of one into the group of the other.
        var isTied = false
        var rest = text
        while let start = rest.firstIndex(where: { $0.isLetter || $0 == UInt8(ascii: "_") }) {
            let name = name(at: start, in: text)
            rest = text[max(name.endIndex, start + 1)...]
            guard let score = Candidate(name, in: text).score, score >= leastScore, score >= best?.score ?? 0
            else { continue }
            if score == best?.score, name.elementsEqual(best?.name ?? []) { continue }
            isTied = score == best?.score
            best = (score, name)
        }
        guard let best, !isTied, let type = TypeName.ifNamed(best.name, demangle: demangle),
            !type.isUndemangled
        else {
            return nil
        }
        return type.text
    }

    /// Letters, digits and points from an index on, with generic arguments behind them.
    private static func name(at start: Int, in text: Text) -> Text {
        var name = text[start...].prefix { isWord($0) || $0 == UInt8(ascii: ".") }
        while name.last == UInt8(ascii: ".") { name = name.dropLast() }
        name = name.droppingLast(".Type") ?? name.droppingLast(".self") ?? name
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
            let behind = text[name.endIndex...].prefix(48)
            after = behind.dropping(".Type") ?? behind.dropping(".self") ?? behind
            let path = name.prefix { $0 != UInt8(ascii: "<") }
            let word = path.lastIndex(of: UInt8(ascii: ".")).map { path[($0 + 1)...] } ?? path
            last = word.drop { $0 == UInt8(ascii: "_") }
        }

        /// The likelihood that the word is the class; `nil` for a word that cannot be a type's name.
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
            if let previous = before.last, isWord(previous) || "/@#-\\".utf8.contains(previous) {
                return true
            }
            // The address of an object, as a word in front of a point.
            if name.contains("0x") || name.contains("0X") { return true }
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
            if statesAfter.contains(where: { words.starts(with: $0) }) {
                return memoryWords.contains(where: { words.contains($0) }) ? 5 : 0
            }
            if ["retains ", "holds ", "references ", "keeps "].contains(where: { words.starts(with: $0) }) {
                return -5
            }
            if after.starts(with: "(") || after.starts(with: "=") { return -3 }
            if words.starts(with: "0x") || isJavaIdentity(after) || after.starts(with: "  ObjC")
                || after.starts(with: "  Swift")
            {
                return 3
            }
            return after.starts(with: ":\n") ? 2 : 0
        }
    }

    /// `@5c1e2f3`, and no address of mail.
    private static func isJavaIdentity(_ text: Text) -> Bool {
        guard text.first == UInt8(ascii: "@") else { return false }
        let digits = text.dropFirst().prefix(while: \.isHexadecimal)
        return digits.count >= 4
            && !(text[digits.endIndex...].first.map { $0.isIdentifier || $0 == UInt8(ascii: ".") } ?? false)
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
        "leaked", "has leaked", "have leaked", "is leaking", "leaks", "leaking", "was leaked", "which leaked",
        "that leaked", "was not released", "was not deallocated", "was not deinit", "was not freed",
        "not released", "not deallocated", "not freed", "is a zombie", "instance", "outlived", "is alive",
        "was retained", "is retained", "is being retained",
    ]
    /// Beginnings of sentences about anything, unless a word about memory follows.
    private static let statesAfter: [StaticString] = [
        "is still", "still ", "is not ", "wasn't", "did not ", "didn't ", "should ", "never ", "remains",
        "has not been", "survived",
    ]
    private static let memoryWords: [StaticString] = [
        "dealloc", "deinit", "releas", "free", "alive", "memory",
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
