internal import LeakMessage

/// The words around a name. They show whether the name is that of a leaked class.
struct SurroundingWords {
    /// The text before the name and its opening quote.
    let before: Text
    /// The text after the name and its closing quote.
    let after: Text
    private let lowercasedBefore: Text
    private let isQuoted: Bool
    /// ``after`` in lower case, without parentheses, spaces, quotes and `>` at its start.
    private let lowercasedAfter: Text
    /// The text after the name, longer than ``after``.
    private let lineAfter: Text
    /// The text before the name, longer than ``before``.
    private let textBefore: Text

    /// Limit of ``before`` and ``after`` in bytes.
    private static let byteLimit = 48
    /// Limit of ``lineAfter`` in bytes.
    private static let lineByteLimit = 256
    /// Limit of ``textBefore`` in bytes.
    private static let textBeforeByteLimit = 96

    init(of name: Text, in text: Text) {
        var (start, end) = (name.startIndex, name.endIndex)
        var isQuoted = false
        for (opening, closing) in Self.quotes {
            let (front, back) = (text[..<start], text[end...])
            if front.ends(with: opening), back.starts(with: closing) {
                start -= opening.utf8CodeUnitCount
                end += closing.utf8CodeUnitCount
                isQuoted = true
                break
            }
        }
        if let front = text[..<start].droppingLast("Optional("), text[end...].first == UInt8(ascii: ")") {
            (start, end) = (front.endIndex, end + 1)
        }
        self.isQuoted = isQuoted
        before = Self.withoutNamespaces(text[..<start].suffix(Self.byteLimit))
        let textAfter = Self.withoutIdentity(text[end...].prefix(4 * Self.byteLimit)).prefix(Self.byteLimit)
        after = textAfter.dropping(".Type") ?? textAfter.dropping(".self") ?? textAfter
        lowercasedBefore = Self.withoutCount(Self.lowercased(before))
        lowercasedAfter = Self.lowercased(
            Self.withoutParentheses(after).drop {
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: ">")
            })
        lineAfter = text[end...].prefix(Self.lineByteLimit)
        textBefore = text[..<start].suffix(Self.textBeforeByteLimit)
    }

    /// `true` if the sentence denies a leak: `No leak in ` and ` is not leaking`, but not `There should be no leak in `, which is
    /// a message about leaked objects.
    var isDenied: Bool {
        let start = textBefore.lastIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: ";") }
        var sentence = Self.lowercased(start.map { textBefore[($0 + 1)...] } ?? textBefore)
        if let point = sentence.lastRange(of: ". ") { sentence = sentence[point.upperBound...] }
        guard !Self.expectations.contains(where: { sentence.contains($0) }) else { return false }
        if statesFreed { return true }
        if let range = Self.denials.lazy.compactMap({ sentence.lastRange(of: $0) }).first {
            // "Cart: no leak, Home leaked"
            let isStart =
                sentence[range].starts(with: "n't")
                || sentence[..<range.lowerBound].last?.isIdentifier != true
            if isStart, isInDeniedPhrase(after: sentence[range.upperBound...]) { return true }
        }
        let denial = Self.denialsAfter.first { lowercasedAfter.starts(with: $0) }
        return denial != nil && !lowercasedAfter.contains(" until ")
    }

    /// `true` if the words state that the object was deallocated as expected: ` was deallocated`, but not ` was deallocated while …`
    /// or ` was deallocated 9 s late`.
    var statesFreed: Bool {
        let restOfLine = Self.lowercased(
            Self.withoutIdentity(lineAfter.firstLine.line).drop { " '\">:-–,.".utf8.contains($0) })
        if follows(Self.freedBefore) {
            // `deinit of Cart called`
            let isCall = restOfLine.starts(with: "called") && restOfLine.count <= 8
            if isCall || !restOfLine.contains(where: { $0.isLetter || $0 >= 0x80 }) { return true }
        }
        let textAfter = Self.freedPhrases.lazy.compactMap { restOfLine.dropping($0) }.first { remainder in
            !(remainder.first?.isIdentifier ?? false)
        }
        guard let textAfter else { return false }
        if ["no leak", "no memory leak", "0 leaks"].contains(where: { textAfter.contains($0) }) {
            return true
        }
        let words = textAfter.split(whereSeparator: { !$0.isIdentifier })
        return !words.contains { word in Self.failureWords.contains { word.starts(with: $0) } }
    }

    /// Returns `true` if the name belongs to the denied phrase, by the words between the denial and the name. In `no leak in A and B`,
    /// B belongs to it; in `no leak in A but B` and `no leak in A and B leaked`, B does not.
    private func isInDeniedPhrase(after words: Text) -> Bool {
        if words.contains(where: { ",([".utf8.contains($0) }) { return false }
        if [" but ", " except ", " until "].contains(where: { words.contains($0) }) { return false }
        let isSecond = words.contains(" and ") || words.contains(UInt8(ascii: ":"))
        let verb = lowercasedAfter.split(whereSeparator: { !$0.isIdentifier }).first
        let isEllipsis =
            verb.map { verb in
                ["was", "is", "did", "does", "has"].contains { verb.equals($0) }
                    && !(lowercasedAfter[verb.endIndex...].trimmed.first?.isIdentifier ?? false)
            } ?? false
        return !isSecond || !(statesRetained || isEllipsis || words.contains(" leak"))
    }

    /// `true` if the text states 0 instances of the class: `CartModel: 0`, `CartModel (0)`, `CartModel x0`, `0 CartModel`.
    var statesZeroInstances: Bool {
        if let front = before.droppingLast("0 "), front.last.map({ " :(\n".utf8.contains($0) }) ?? true {
            return true
        }
        let count = after.drop { " :=(x|-".utf8.contains($0) }
        guard count.startIndex > after.startIndex, count.first == UInt8(ascii: "0") else { return false }
        let textAfter = count.dropFirst().trimmed
        return textAfter.isEmpty
            || textAfter.startIndex == count.startIndex + 1
                && "),;|".utf8.contains(textAfter[textAfter.startIndex])
            || count.dropFirst().first == UInt8(ascii: "\n")
            || ["instance", "leak", "object", "alive", "retained"].contains { textAfter.starts(with: $0) }
    }

    /// Removes the namespaces of C++ from the end: `leak of ` for `leak of Shop::`.
    private static func withoutNamespaces(_ text: Text) -> Text {
        var text = text
        while let front = text.droppingLast("::") {
            text = front[..<(front.lastIndex { !$0.isIdentifier }.map { $0 + 1 } ?? front.startIndex)]
        }
        return text
    }

    /// Removes the identity and the properties that some languages print after a name: `#e76fa(ticker active)`, `{id=14}`,
    /// `(id: 14)`, `()`, `: 0x1f00`.
    private static func withoutIdentity(_ text: Text) -> Text {
        var text = text
        if text.first == UInt8(ascii: "#") {
            let digits = text.dropFirst().prefix(while: \.isHexadecimal)
            guard !digits.isEmpty else { return text }
            text = text[digits.endIndex...]
            if text.first == UInt8(ascii: "("), let end = text.firstIndex(of: UInt8(ascii: ")")) {
                text = text[(end + 1)...]
            }
        } else if text.first == UInt8(ascii: "{"), let end = text.firstIndex(of: UInt8(ascii: "}")) {
            text = text[(end + 1)...]
        } else if let properties = text.dropping("(") {
            let label = properties.prefix(while: \.isIdentifier)
            let textAfter = properties[label.endIndex...]
            // `()`, `(0x1f00)` and `(id: 14)`, but not `(CartModel)`, which may be the leaked object in a wrapper
            guard
                textAfter.first == UInt8(ascii: ")") && !TypeSpelling(label).isCamelCase
                    || !label.isEmpty && textAfter.starts(with: ": "),
                let end = Brackets.endIndexIfClosed(ofBracketAtStartOf: text)
            else { return text }
            text = text[end...]
        } else if let address = text.dropping(": 0x") {
            text = address.drop(while: \.isHexadecimal)
        }
        return text
    }

    /// Removes a text in parentheses from the start: ` leaked` for ` (in storyboard Main) leaked`.
    private static func withoutParentheses(_ text: Text) -> Text {
        guard let inside = text.dropping(" ("), let end = inside.firstIndex(of: UInt8(ascii: ")")) else {
            return text
        }
        return text[(end + 1)...]
    }

    /// Removes a number of objects from the end: `leak: ` for `leak: 4 `.
    private static func withoutCount(_ text: Text) -> Text {
        guard let words = text.droppingLast(" "), words.last?.isDigit ?? false else { return text }
        let front = words[..<(words.lastIndex { !$0.isDigit }.map { $0 + 1 } ?? words.startIndex)]
        return front.last == UInt8(ascii: " ") ? front : text
    }

    private static func lowercased(_ text: Text) -> Text { text.map { $0.isUppercase ? $0 | 0x20 : $0 }[...] }

    /// A number that is higher the more clearly the words state that the class leaked.
    var score: Int { scoreBefore + scoreAfter }

    /// `true` if words such as `class` or `instance of` precede the name, and after the name its phrase ends or words such as
    /// `was not released` follow.
    var statesNameIsClass: Bool { isAfterClass && (isEndOfPhrase || statesRetained) }

    /// `true` if words such as `class` or `instance of` precede the name.
    var isAfterClass: Bool { follows(Self.cuesOfClasses) && !isOwner }

    /// `true` if a key such as `className=` or `vc: ` precedes a name in quotes.
    var isAfterKeyOfClass: Bool {
        guard isQuoted else { return false }
        let front = lowercasedBefore.trimmed
        guard let mark = front.last, mark == UInt8(ascii: "=") || mark == UInt8(ascii: ":") else {
            return false
        }
        let words = front.dropLast().trimmed
        let key = words[(words.lastIndex { !$0.isIdentifier }.map { $0 + 1 } ?? words.startIndex)...]
        return JSONMessage.isKeyOfObject(key)
    }

    /// `true` if words such as `leak of` or `leaked` precede the name.
    var isAfterLeak: Bool {
        (follows(Self.cuesOfLeaks) || follows(Self.cuesOfQuotedLeaks)) && !isOwner
    }

    /// `true` if the name belongs to the holder of the leaked object, or to a superclass of the leaked class.
    private var isOwner: Bool { follows(Self.cuesOfOwners) }

    /// `true` if the words after the name state that the object stays in memory, such as `was not released`.
    var statesRetained: Bool {
        if Self.cuesAfter.contains(where: { lowercasedAfter.starts(with: $0) }) {
            return !namesPersonWhoLeaked
        }
        return Self.weakCuesAfter.contains { lowercasedAfter.starts(with: $0) }
            && Self.memoryWords.contains { lowercasedAfter.contains($0) }
    }

    /// `true` if words such as `titled` or `user` precede the name, which introduce text that a user typed.
    var introducesTypedText: Bool { follows(Self.cuesOfTypedText) }

    private func follows(_ cues: [StaticString]) -> Bool { cues.contains { lowercasedBefore.ends(with: $0) } }

    private var scoreBefore: Int {
        if follows(Self.cuesOfLeakedObjects) { return 20 }
        if follows(["leaked window "]) || isOwner { return -6 }
        if follows(Self.cuesOfClasses) || follows(Self.cuesOfLeaks) || isAfterKeyOfClass {
            return isEndOfPhrase ? 7 : 5
        }
        if follows(Self.cuesBefore) { return 5 }
        if follows(Self.weakCuesBefore) { return 2 }
        return 0
    }

    private var scoreAfter: Int {
        // A colon follows the tag of a logger: `LeakMonitor: …`, `… okhttp3.OkHttpClient : …`.
        if let words = after.dropping(": "), before.trimmed.isEmpty,
            Self.statesDeinitNotCalled(words) || Self.isOnlyLeakStatement(words)
        {
            return 5
        }
        if let words = after.dropping("."), Self.statesDeinitNotCalled(words) { return 5 }
        if after.starts(with: " : ") || before.trimmed.isEmpty && after.starts(with: ": ") { return -6 }
        if statesRetained { return 5 }
        if Self.cuesAfter.contains(where: { lowercasedAfter.starts(with: $0) }) { return 0 }
        if Self.weakCuesAfter.contains(where: { lowercasedAfter.starts(with: $0) }) { return 0 }
        if ["retains ", "holds ", "references ", "keeps "].contains(where: {
            lowercasedAfter.starts(with: $0)
        }) {
            return -5
        }
        if after.starts(with: "(") || after.starts(with: "=") { return -3 }
        if lowercasedAfter.starts(with: "0x") || lowercasedAfter.starts(with: "at 0x")
            || isJavaIdentity(after)
            || after.starts(with: "  ObjC")
            || after.starts(with: "  Swift")
        {
            return 3
        }
        return after.starts(with: ":\n") ? 2 : 0
    }

    /// Returns `true` for `deinit was not called` and `dealloc was never called`, if no other class follows.
    private static func statesDeinitNotCalled(_ words: Text) -> Bool {
        let line = words.firstLine.line
        let lowercased = lowercased(line)
        return (lowercased.starts(with: "deinit") || lowercased.starts(with: "dealloc"))
            && (lowercased.contains(" not ") || lowercased.contains(" never ") || lowercased.contains("n't "))
            && ClassGuesser.names(in: line).isEmpty
    }

    /// Returns `true` for `leaked`, `was not released!` and similar words that are a whole text.
    private static func isOnlyLeakStatement(_ text: Text) -> Bool {
        let words = lowercased(text).trimmed
        let sentence = words.prefix(words.count - words.reversed().prefix { "!.".utf8.contains($0) }.count)
        return cuesAfter.contains { sentence.equals($0) }
    }

    /// `true` if the name is that of an app or a module in which something leaked: `leak in MyShop: cart`, `leak in MyShop app`.
    var namesAppOrModule: Bool {
        guard follows(["leak in ", "leaks in ", "detected in ", "found in "]) else { return false }
        if let textAfter = after.dropping(":"), !after.starts(with: "::") {
            // `leak in CartBadge: retained by the footer`
            let words = Self.lowercased(textAfter.trimmed)
            return !words.isEmpty && !Self.explanations.contains { words.starts(with: $0) }
        }
        return Self.places.contains { lowercasedAfter.starts(with: $0) }
    }

    /// `true` if no further words follow the name in its phrase: `class Cart`, but not `class Cart of the shop`.
    private var isEndOfPhrase: Bool {
        guard let first = after.first else { return true }
        return !(first.isIdentifier || first == UInt8(ascii: " ") || first == UInt8(ascii: "-"))
    }

    /// `true` if the text says that a person leaked something: `JaneDoe leaked the plan`.
    private var namesPersonWhoLeaked: Bool {
        let words = lowercasedAfter.split(separator: UInt8(ascii: " "), maxSplits: 3)
        guard words.count > 1, words[0].starts(with: "leak") else { return false }
        return Self.articles.contains { words[1].equals($0) }
    }

    /// Returns `true` for `@5c1e2f3`, but not for an email address.
    private func isJavaIdentity(_ text: Text) -> Bool {
        guard text.first == UInt8(ascii: "@") else { return false }
        let digits = text.dropFirst().prefix(while: \.isHexadecimal)
        return digits.count >= 4
            && !(text[digits.endIndex...].first.map { $0.isIdentifier || $0 == UInt8(ascii: ".") } ?? false)
    }

    private static let quotes: [(opening: StaticString, closing: StaticString)] = [
        ("'", "'"), ("\"", "\""), ("`", "`"), ("‘", "’"), ("“", "”"), ("„", "“"), ("«", "»"), ("[", "]"),
    ]
    private static let denials: [StaticString] = [
        "no leak", "no memory leak", "no retain cycle", "no leaked ", "no leaking ", "0 leaks", "0 leaked ",
        "leak fixed", "leaks fixed", "passed leak check", "leak check passed", "kein speicherleck",
        "kein leak",
        "aucune fuite", "nessun memory leak", "没有内存泄漏", "没有泄漏",
        "without leak",
        "without a leak", "without any leak", "not a leak", "not leak", "n't leak", "n't a leak",
        "never leak", "no longer leak",
        "not retained", "zero leaks", "neither ",
    ]
    /// Words before the name of a deallocated object.
    private static let freedBefore: [StaticString] = [
        "deinit ", "deinit: ", "deinit of ", "dealloc ", "dealloc: ", "dealloc of ", "deallocated: ",
        "deinitialized: ",
        "freed: ", "released: ",
    ]
    /// Words after the name of a deallocated object.
    private static let freedPhrases: [StaticString] = [
        "deinit", "deinit called", "dealloc", "dealloc called", "dealloc'd", "is being deinitialized",
        "is being deallocated", "finally deallocated", "was garbage collected", "object deallocated",
        "deinit'd",
        "is no longer leaking", "leaks no more", "leak fixed", "wurde freigegeben",
        "wurde doch noch freigegeben",
        "已释放", "已被释放", "が解放されました", "был освобожд", "была освобожд", "è stato deallocato", "a été libéré",
        "fue liberado",
        "deallocated", "was deallocated", "deinitialized", "was deinitialized", "deinited", "freed",
        "was freed", "was released", "is deallocated", "has been deallocated", "has been released",
        "has been freed",
    ]
    /// Beginnings of words about an object that was deallocated too late, too early or not at all.
    private static let failureWords: [StaticString] = [
        "while", "late", "before", "twice", "only", "without", "instead", "but", "never", "not", "still",
        "false", "fail",
        "no", "leak", "alive", "expect", "actual", "should",
    ]
    private static let denialsAfter: [StaticString] = [
        "is not leaking", "isn't leaking", "was not leak", "wasn't leak", "did not leak", "didn't leak",
        "does not leak", "doesn't leak", "has not leaked", "hasn't leaked", "never leak", "no longer leak",
        "leaked 0 ", "has no leak", "had no leak", "has no memory leak", "is leak free", "is leak-free",
        "without leak",
        "没有泄漏", "没有内存泄漏", "はメモリリークしていません", "no tiene fugas", "누수 없음", "passed leak check",
        "not leaking",
        "not leaked", "not a leak", "is not a leak", "isn't a leak", "was not a leak",
    ]
    private static let expectations: [StaticString] = [
        "should", "expect", "must", "assert", "ensure", "verify", "check that", "needs to",
    ]
    private static let cuesOfClasses: [StaticString] = [
        "class ", "class: ", "class=", "instance of ", "instances of ", "of type ", "type: ",
        "leaked type ", "instance: ", "type-name=(string)",
    ]
    private static let cuesOfLeaks: [StaticString] = [
        "leak of ", "leaks of ", "object of ", "dealloc of ", "deallocation of ", "deinit of ",
    ]
    /// Words before the quoted name of a leaked object.
    private static let cuesOfQuotedLeaks: [StaticString] = [
        "leaked ", "leaked: ", "leaking ", "leaking object ", "leaking object: ", "leaked object ",
        "leaked object: ", "leak in ", "leak: ", "leak=",
    ]
    private static let cuesOfOwners: [StaticString] = [
        "by class ", "by instance of ", "by object of ", "because of class ", "in class ", "(class: ",
        "subclass of ", "subclass of class ", "child of ", "superclass ", "base class ", "held by ",
        "retained by ", "captured by ", "presented by ", "owned by ", "held by instance: ", "kept by ",
    ]
    /// Words that Android and LeakCanary write only before the leaked object.
    private static let cuesOfLeakedObjects: [StaticString] = [
        "╰→ ", "leaked serviceconnection ", "leaked intentreceiver ",
    ]
    private static let cuesBefore: [StaticString] = [
        "leak in ", "leak: ", "leaked ", "leaked: ", "leaks ", "leaking ", "leaking: ", "detected in ",
        "path to ", "root leak: <", "retained ", "detected: ", "detached ", "unclosed <", "but was:  <",
        "listeners added to ",
        "jdbc driver ", "not called for ", "never called for ", "n't called for ",
        "release ", "object: ", "zombie: ", "instance → ", "deallocate ", "for object ",
    ]
    private static let weakCuesBefore: [StaticString] = [
        "in ", "but ", "that ", "object ", "instance ", "of ", "→ ", "<", "live ", "activity ",
        "fragment ", "service ", "controller ",
    ]
    private static let cuesOfTypedText: [StaticString] = [
        "user ", "account ", "name ", "named ", "titled ", "text ", "label ", "by ", "from ", "for ", "mr ",
        "= ", "=", "called ",
    ]
    private static let cuesAfter: [StaticString] = [
        "leaked", "has leaked", "have leaked", "is leaking", "leaks", "leaking", "was leaked", "which leaked",
        "that leaked", "was not released", "was not deallocated", "was not deinit", "was not freed",
        "not released", "not deallocated", "not freed", "is a zombie", "instance", "outlived", "is alive",
        "was retained", "is retained", "is being retained",
        "were not released", "were not deallocated", "were not freed", "were leaked", "are leaking",
        "are still alive",
        "isn't released", "isn't deallocated", "aren't released", "aren't deallocated",
        "wurde nicht freigegeben", "wurde nicht dealloziert", "ist noch im speicher", "n'a pas été libéré",
        "n'a pas été désalloué", "no fue liberado", "no fue desasignado", "non è stato deallocato",
        "non è stata deallocata", "não foi desalocado", "nie został zwolniony", "не был освобожд",
        "не была освобожд", "没有被释放", "没有释放", "未释放", "未被释放", "が解放されていません", "해제되지 않",
        "to be nil", "to be deallocated", "to be released", "to be freed", "to be deinit",
        "was disposed with", "has been leaked", "autoreleased with no pool",
    ]
    /// Words after the name that state a leak only if a word of ``memoryWords`` follows.
    private static let weakCuesAfter: [StaticString] = [
        "object ", "was not ", "has not ", "was deallocated while ",
        "is still", "still ", "is not ", "wasn't", "did not ", "didn't ", "should ", "never ", "remains",
        "survived",
    ]
    private static let memoryWords: [StaticString] = [
        "dealloc", "deinit", "releas", "free", "alive", "memory", "leak",
        "shutdown", "shut down", "terminated", "disposed", "destroyed",
    ]
    private static let places: [StaticString] = [
        "app ", "app:", "module", "framework", "target", "package", "library",
    ]
    /// Beginnings of texts about a leaked object that do not name an object.
    private static let explanations: [StaticString] = [
        "retain", "it ", "captured", "held", "kept", "instance", "object", "not ", "was ", "is ", "still ",
        "strong ", "closure",
        "self ", "leaked", "never ", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9",
    ]
    private static let articles: [StaticString] = [
        "the", "a", "an", "his", "her", "their", "our", "my", "your", "this", "that", "it", "some", "all",
    ]
}
