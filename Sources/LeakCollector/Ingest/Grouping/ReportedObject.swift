internal import LeakGrammar
internal import LeakMessage
import LeakStore

/// The leaked object as a report describes it, with cleaned names.
struct ReportedObject {
    /// A type's name, separated from its module.
    struct Name {
        let module: String?
        /// The name by version 1 of the grouping rules: `<…>` replaces generic arguments, except in
        /// hosts of SwiftUI views.
        let plainName: String
        /// The name with those generic arguments that are types of the app.
        let name: String
        let isSystem: Bool
        /// True for a host of SwiftUI views that does not name the view, such as
        /// `NavigationStackHostingController<AnyView>`.
        let isUnnamedHost: Bool

        /// The module, which may distinguish classes with the same name; `nil` without a module, and for a type or a module of
        /// the system.
        var appModule: String? { isSystem ? nil : module.flatMap { TypeName.isSystemModule($0) ? nil : $0 } }

        /// `true` for a type of an app such as `Feed.List` or `Outer.Inner`, whose name begins with a module or an outer type.
        var isDotted: Bool { !isSystem && plainName.prefix { $0 != "<" }.contains(".") }

        /// Returns the name with its module in front if that is `appModule`; otherwise the name unchanged.
        func qualified(by appModule: String) -> Name {
            guard module == appModule else { return self }
            return Name(
                module: nil, plainName: "\(appModule).\(plainName)", name: "\(appModule).\(name)",
                isSystem: isSystem, isUnnamedHost: isUnnamedHost)
        }

        init(_ raw: String, module appModule: String?) {
            // A tab is removed later, and would join an address with the word before it.
            let type = TypeName(
                raw.replacing("\t0x", with: " 0x"), demangle: RuntimeDemangler.demangle)
            let (module, name) = type.split(appModule: appModule)
            self.module = type.isInJavaPackage ? nil : module
            plainName = name
            // A text that is no type's name may still contain an address here.
            self.name = TypeName.withoutAddresses(type.detailedName(appModule: appModule))
            isSystem = type.isSystem
            isUnnamedHost = type.isUnnamedHost
        }

        /// The name without the digits of addresses and without home folders. An element of a path may be any text instead of the
        /// name of a type, with an address or a path of a file anywhere in it.
        var withoutAddressesAndHomeFolders: Name {
            func cleaned(_ name: String) -> String {
                TypeName.withoutHomeFolder(TypeName.withoutAddresses(name))
            }
            return Name(
                module: module, plainName: cleaned(plainName), name: cleaned(name), isSystem: isSystem,
                isUnnamedHost: isUnnamedHost)
        }

        private init(
            module: String?, plainName: String, name: String, isSystem: Bool, isUnnamedHost: Bool
        ) {
            (self.module, self.plainName, self.name) = (module, plainName, name)
            (self.isSystem, self.isUnnamedHost) = (isSystem, isUnnamedHost)
        }
    }

    private(set) var className: Name?
    /// `true` if the class was guessed from a text of no known form.
    private let isGuessed: Bool
    /// The path of owners; empty if the report's field `stack` is a call stack.
    private(set) var stack: [Name]
    let callStack: CallStack?
    /// The call stack's frames as texts for pages.
    private let displayedCalls: [String]?
    /// The call stack's frames as texts for keys.
    private let keyCalls: [String]
    let children: [Name]
    /// The elements of the cycle as texts for pages: without modules, and with the whole names of closures. They are in
    /// the order of ``detailedCycleKey`` unless that is empty.
    let cycle: [String]
    /// The parts of the key that replace a missing class: the names of the cycle's elements by version 1 of the grouping
    /// rules, in the rotation that sorts first. All closures have the same name there, so a cycle stays one leak when
    /// the number of a closure, such as `#1`, changes.
    private let cycleKey: [String]
    /// The names of ``cycleKey`` with those generic arguments that are types of the app, in their own rotation that sorts
    /// first.
    private let detailedCycleKey: [String]
    /// Text that replaces the class if there is none.
    private let template: String
    /// The ``template`` by version 1 of the rules.
    private let maskedText: String
    /// Domain and code of an error without text, if nothing else names the leak.
    private let errorDomainAndCode: [String]

    init(
        _ report: LeakReport, className named: String?, parsed: DetectorMessage?, callStack: CallStack?,
        module: String?
    ) {
        func names(_ raw: [String]) -> [Name] {
            raw.map { Name($0, module: module) }.filter { !$0.name.isEmpty }
        }
        // If the report's field names the class, the text's path is not used. The text's call stack is not used if the
        // text names another class.
        let text = named == nil ? parsed : nil
        let callStack =
            report.stack.isEmpty && Self.isOtherClass(parsed, than: named, module) ? nil : callStack
        self.callStack = callStack
        (displayedCalls, keyCalls) = (callStack?.displayedElements, callStack?.keyElements ?? [])
        let path = report.stack.isEmpty ? text?.wholeNames.stack ?? [] : Self.owners(in: report.stack)
        // A text may contain a path before its backtrace. The path is kept, because it identifies the leak if no frame of
        // the backtrace does.
        stack =
            callStack == nil || report.stack.isEmpty
            ? names(path).map(\.withoutAddressesAndHomeFolders) : []
        children = names(report.children.isEmpty ? text?.wholeNames.children ?? [] : report.children)
        let guess = text?.className == nil ? text?.guessedClassName : nil
        isGuessed = guess != nil
        let name = (named ?? text?.wholeNames.className ?? guess).map { Name($0, module: module) }
        className = name.flatMap { $0.name.isEmpty ? nil : $0 }
        let cycle = report.cycle.isEmpty ? text?.wholeNames.cycle ?? [] : report.cycle
        if className == nil {
            let elements = cycle.compactMap { raw -> (key: String, detailed: String, shown: String)? in
                let name = Name(raw, module: module)
                guard !name.plainName.isEmpty else { return nil }
                let key = Cycle.publicName(name.plainName)
                let detailed = key == name.plainName ? name.name : key
                return (key, detailed, SwiftClosureName(raw, module: module)?.text ?? detailed)
            }
            let start = Cycle.startOfSmallestRotation(elements.map(\.key))
            cycleKey = Array((elements[start...] + elements[..<start]).map(\.key))
            // The cycle is rotated by its detailed names, as version 1 of the grouping rules rotates it by its plain names.
            // Thus both versions give the same key if the detailed names equal the plain names.
            let detailedStart = Cycle.startOfSmallestRotation(elements.map(\.detailed))
            let rotated = elements[detailedStart...] + elements[..<detailedStart]
            (detailedCycleKey, self.cycle) = (rotated.map(\.detailed), rotated.map(\.shown))
        } else {
            (cycleKey, detailedCycleKey) = ([], [])
            self.cycle = Cycle.smallestRotation(cycle.compactMap { Self.element($0, module) })
        }
        maskedText = text?.maskedText ?? ""
        template = text?.template ?? ""
        let isErrorAlone = named == nil && parsed == nil && self.cycle.isEmpty
        errorDomainAndCode = isErrorAlone ? Self.parts(of: report.error) : []
    }

    /// Returns `true` if a text names a class other than that of the report's field. One of the two names may be the
    /// short name of a nested class, without its module and its outer type.
    private static func isOtherClass(_ text: DetectorMessage?, than named: String?, _ module: String?) -> Bool
    {
        guard let named, let other = text?.wholeNames.className ?? text?.guessedClassName else {
            return false
        }
        let (one, two) = (Name(named, module: module), Name(other, module: module))
        func isShort(_ short: Name, of long: Name) -> Bool {
            short.module == nil && long.plainName.hasSuffix(".\(short.plainName)")
        }
        return one.plainName != two.plainName && !isShort(one, of: two) && !isShort(two, of: one)
    }

    /// Returns the elements that are not call frames. The addresses of frames change with each launch, so each launch
    /// would make a new leak.
    private static func owners(in stack: [String]) -> [String] {
        stack.filter { element in
            // Valgrind's lines begin with the id of the process.
            if element.hasPrefix("==") { return false }
            guard element.utf8.count > 16, element.contains("0x") else { return true }
            return CallFrame(element) == nil
        }
    }

    private static func parts(of error: ReportedError?) -> [String] {
        guard let error, !error.domain.isEmpty else { return [] }
        // The domain of an error of a private type contains an address.
        return [
            withoutSeparators(TypeName.withoutAddresses(UnknownContext.removed(from: error.domain))),
            "\(error.code)",
        ]
    }

    /// Returns the text of a cycle's element for pages, without its module and with its property.
    private static func element(_ raw: String, _ module: String?) -> String? {
        if let closure = SwiftClosureName(raw, module: module) { return closure.text }
        let reference = Reference(raw)
        // Only the class of a description is used, because a description may contain text that users typed.
        let property = reference.property.flatMap {
            isPath($0) && !isDescription(reference.object) ? $0 : nil
        }
        let name = Name(property == nil ? raw : reference.object, module: module).plainName
        guard !name.isEmpty else { return nil }
        return Cycle.publicName(name) + (property.map { "." + $0 } ?? "")
    }

    /// Returns `true` for a text that can be the path of a property, such as `onChange` or `items[3].next`.
    private static func isPath(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_$.[]".unicodeScalars.contains($0)
        }
    }

    private static func isDescription(_ text: String) -> Bool {
        text.unicodeScalars.contains { "\"'=:;{}".unicodeScalars.contains($0) || $0.properties.isWhitespace }
    }

    /// The object with the class's module before the names of all its types from that module; `nil` if the class
    /// has no module of an app.
    var qualified: ReportedObject? {
        guard let module = className?.appModule else { return nil }
        var subject = self
        subject.className = className?.qualified(by: module)
        subject.stack = stack.map { $0.qualified(by: module) }
        return subject
    }

    /// The stack for pages and JSON: the call stack, else the path of owners.
    var shownStack: [String] { displayedCalls ?? stack.map(\.name) }

    var isIdentified: Bool { className != nil || !cycle.isEmpty }

    func quality(hasFingerprint: Bool) -> LeakIdentity.Quality {
        if hasFingerprint { return .full }
        return isIdentified ? (isGuessed ? .guessed : .full) : .low
    }

    var kind: LeakReport.Kind { className == nil && !cycle.isEmpty ? .cycle : .object }

    /// Returns the parts of the key that follow the app: class and stack, or their substitutes; and the version of the
    /// rules that they come from.
    func key(fingerprint: [String]) -> (parts: [String], version: Int) {
        if fingerprint.isEmpty, detailedCycleKey != cycleKey {
            let belongsToVersion1 = detailedCycleKey.allSatisfy { TypeName($0).text == $0 }
            return (
                [""] + detailedCycleKey,
                belongsToVersion1 ? GroupingRules.oldVersion : GroupingRules.currentVersion
            )
        }
        if let parts = classlessKey(fingerprint) {
            let hasCalls = fingerprint.isEmpty && cycleKey.isEmpty && !keyCalls.isEmpty
            return hasCalls
                ? (parts + keyCalls, GroupingRules.currentVersion) : (parts, GroupingRules.oldVersion)
        }
        if !keyCalls.isEmpty {
            return ([className?.name ?? template] + keyCalls, GroupingRules.currentVersion)
        }
        let key = classAndPath(\.name, text: template)
        // If version 1 of the rules gives the same key, the report stays in the group of version 1. Therefore a host of
        // SwiftUI views whose modifiers were left out has the same group as a host without modifiers.
        let belongsToVersion1 = zip(key, oldKey(fingerprint: fingerprint)).allSatisfy { name, oldName in
            name == oldName || className != nil && TypeName(name).text == name
        }
        return (key, belongsToVersion1 ? GroupingRules.oldVersion : GroupingRules.currentVersion)
    }

    /// Returns the key by version 1 of the rules, for a report without a call stack.
    func oldKey(fingerprint: [String]) -> [String] {
        classlessKey(fingerprint) ?? classAndPath(\.plainName, text: maskedText)
    }

    /// Returns the sender's fingerprint, or the parts that replace a missing class; `nil` if there is neither.
    ///
    /// A cycle follows an empty class, so that the key never equals that of a class with its stack.
    private func classlessKey(_ fingerprint: [String]) -> [String]? {
        if !fingerprint.isEmpty { return fingerprint.map(Self.withoutSeparators) }
        guard className == nil else { return nil }
        if !cycleKey.isEmpty { return [""] + cycleKey }
        // The error follows two empty parts, which neither a class nor a cycle has.
        return errorDomainAndCode.isEmpty ? nil : ["", ""] + errorDomainAndCode
    }

    private func classAndPath(_ name: KeyPath<Name, String>, text: String) -> [String] {
        guard let className else { return [text] }
        return [className[keyPath: name]] + path(of: className, name)
    }

    /// Returns the path without types of the system, except the last element, which is the leaked object. If only the class is
    /// left, the path is empty; for a container of the system, it is the first child.
    private func path(of className: Name, _ name: KeyPath<Name, String>) -> [String] {
        let appOwners = stack.enumerated().filter { !$1.isSystem || $0 == stack.count - 1 }.map {
            $0.element[keyPath: name]
        }
        // Compares bytes, as the key does: `String` treats a composed and a decomposed accent as equal.
        let isClassAlone =
            appOwners.count == 1 && appOwners[0].utf8.elementsEqual(className[keyPath: name].utf8)
        guard appOwners.isEmpty || isClassAlone else { return appOwners }
        if className.isSystem, let root = children.first { return [root[keyPath: name]] }
        return []
    }

    func title(fingerprint: [String]) -> String {
        if let className {
            guard className.isUnnamedHost, let owner = stack.dropLast().last(where: { !$0.isSystem }) else {
                return className.name
            }
            return "\(className.name) in \(owner.name)"
        }
        if !cycle.isEmpty { return cycle.joined(separator: " → ") }
        if !template.isEmpty { return template }
        if let frame = CallStack.titles(of: keyCalls)?.first, fingerprint.isEmpty { return frame }
        if !errorDomainAndCode.isEmpty, fingerprint.isEmpty {
            return errorDomainAndCode.joined(separator: " ")
        }
        return fingerprint.isEmpty
            ? "(empty text)" : fingerprint.map(Self.withoutSeparators).joined(separator: " · ")
    }

    /// Returns the parts of the object that the rules of an app compare.
    ///
    /// - Parameter otherSpelling: the class with its module if ``className`` is without, or the other way round.
    func ruleSubject(otherSpelling: Name?) -> FingerprintRules.Subject {
        let names = [className, otherSpelling].compactMap(\.self)
        // Senders that name the app's module and senders that do not spell a class of another module differently.
        let unqualified = names.first { $0.module != nil } ?? className
        return FingerprintRules.Subject(
            className: unqualified?.name,
            spellings: names.flatMap { name in
                [name.name] + (name.module.map { ["\($0).\(name.name)"] } ?? [])
            },
            title: className == nil ? title(fingerprint: []) : "",
            path: FingerprintRules.Subject.path(
                stack: shownStack, children: children.map(\.name), cycle: cycle))
    }

    /// Returns the text without control characters, because U+001F separates the parts of a key, and without the text
    /// that a description contains about its object.
    static func withoutSeparators(_ text: String) -> String {
        let part = LeakReport.withoutDescriptionContent(text)
        guard part.utf8.contains(where: { $0 < 0x20 }) else { return part }
        return String(decoding: part.utf8.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }
}

extension ReportedError {
    /// The text under `NSLocalizedDescription`.
    var description: String? {
        for entry in userInfo where entry.name == Self.descriptionKey {
            if case .string(let text) = entry.value { return text }
        }
        return nil
    }
}
