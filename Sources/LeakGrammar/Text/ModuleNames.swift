internal import LeakMessage

extension SystemNames {
    /// Returns `true` if the arguments of a generic type contain a type that does not belong to the system.
    static func hasAppType(_ arguments: Text) -> Bool {
        Generics.words(of: arguments).contains { word in
            guard let dot = word.firstIndex(of: UInt8(ascii: ".")) else {
                guard word.first.map({ $0.isUppercase || $0 >= 0x80 }) ?? false else { return false }
                return !hasSystemPrefix(word) && !viewTypes.contains { $0.utf8.elementsEqual(word) }
            }
            return !isSystemModule(word[..<dot]) && !hasSystemPrefix(word)
        }
    }
}

/// The name of an app's module, as given and as the runtime spells it: with an underscore for each character that is not allowed
/// in an identifier.
struct ModuleNames {
    private let givenName: Text
    private let runtimeName: Text

    init?(_ module: String?) {
        guard let module else { return nil }
        givenName = Text(module).trimmed
        runtimeName = givenName.map { $0.isLetter || $0.isDigit || $0 >= 0x80 ? $0 : UInt8(ascii: "_") }[...]
    }

    /// Returns `true` for a name with a package of Java or Kotlin, such as `com.acme.shop.CartActivity`. Modules of Swift contain no
    /// dot.
    static func isInJavaPackage(_ name: Text) -> Bool {
        let head = name.prefix { $0 != UInt8(ascii: "<") }
        let parts = head.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3
            && parts[..<2].allSatisfy { $0.first.map { $0.isLetter && !$0.isUppercase } ?? false }
    }

    /// Separates the module from a dotted name. If `app` is `nil` or empty, the first component counts as the module.
    static func split(_ name: Text, _ app: ModuleNames?) -> (module: Text?, name: Text) {
        let head = name[..<(name.firstIndex(of: UInt8(ascii: "<")) ?? name.endIndex)]
        guard let dot = head.firstIndex(of: UInt8(ascii: ".")), dot > name.startIndex, dot + 1 < name.endIndex
        else {
            return (nil, name)
        }
        if let app, !app.givenName.isEmpty {
            // Only the given name may contain a dot.
            for module in [app.givenName, app.runtimeName] where name.count > module.count + 1 {
                let end = name.startIndex + module.count
                if name[end] == UInt8(ascii: "."), name[..<end] == module {
                    return (name[..<end], name[(end + 1)...])
                }
            }
            guard SystemNames.isSystemModule(name[..<dot]) else { return (nil, name) }
        }
        return (name[..<dot], name[(dot + 1)...])
    }
}
