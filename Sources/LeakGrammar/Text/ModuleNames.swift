internal import LeakMessage

extension SystemNames {
    /// Returns `true` if the arguments of a generic type contain a type that is not the system's.
    static func hasAppType(_ arguments: Text) -> Bool {
        Generics.words(of: arguments).contains { word in
            guard let dot = word.firstIndex(of: UInt8(ascii: ".")) else {
                guard word.first.map({ $0.isUppercase || $0 >= 0x80 }) ?? false else { return false }
                return !isSystem(word) && !views.contains { $0.utf8.elementsEqual(word) }
            }
            return !isModule(word[..<dot]) && !isSystem(word)
        }
    }
}

/// An app's module, as a name in the source and as the runtime spells it.
struct ModuleNames {
    private let given: Text
    private let spelt: Text

    init?(_ module: String?) {
        guard let module else { return nil }
        given = Text(module).trimmed
        spelt = given.map { $0.isLetter || $0.isDigit || $0 >= 0x80 ? $0 : UInt8(ascii: "_") }[...]
    }

    /// `true` for a name behind a package of Java or Kotlin, such as `com.acme.shop.CartActivity`: modules of Swift have no
    /// dot.
    static func isPackaged(_ name: Text) -> Bool {
        let head = name.prefix { $0 != UInt8(ascii: "<") }
        let parts = head.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3
            && parts[..<2].allSatisfy { $0.first.map { $0.isLetter && !$0.isUppercase } ?? false }
    }

    /// Separates the module from a dotted name. Without an app's module, the first component counts as the module.
    static func split(_ name: Text, _ app: ModuleNames?) -> (module: Text?, name: Text) {
        let head = name[..<(name.firstIndex(of: UInt8(ascii: "<")) ?? name.endIndex)]
        guard let dot = head.firstIndex(of: UInt8(ascii: ".")), dot > name.startIndex, dot + 1 < name.endIndex
        else {
            return (nil, name)
        }
        if let app, !app.given.isEmpty {
            // A module's name may hold a dot only as given, before the runtime spells it.
            for module in [app.given, app.spelt] where name.count > module.count + 1 {
                let end = name.startIndex + module.count
                if name[end] == UInt8(ascii: "."), name[..<end] == module {
                    return (name[..<end], name[(end + 1)...])
                }
            }
            guard SystemNames.isModule(name[..<dot]) else { return (nil, name) }
        }
        return (name[..<dot], name[(dot + 1)...])
    }
}
