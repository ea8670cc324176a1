internal import LeakMessage

/// The spelling of a word, which shows whether the word looks like the name of a type.
struct TypeSpelling {
    /// The name after modules, packages and outer types, without leading underscores and without generic arguments.
    let unqualifiedName: Text
    /// `true` if a module, a package or an outer type is before the name.
    let isDotted: Bool

    init(_ name: Text) {
        let path = name.prefix { $0 != UInt8(ascii: "<") }
        let dot = path.lastIndex(of: UInt8(ascii: "."))
        isDotted = dot != nil
        unqualifiedName = (dot.map { path[($0 + 1)...] } ?? path).drop { $0 == UInt8(ascii: "_") }
    }

    /// `true` for a name of at least three bytes that begins with a capital letter or a character beyond ASCII, and contains
    /// only characters of identifiers.
    var isType: Bool {
        unqualifiedName.count >= 3 && unqualifiedName.first.map { $0.isUppercase || $0 >= 0x80 } ?? false
            && unqualifiedName.allSatisfy(\.isIdentifier)
    }

    /// `true` for a name in camel case, such as `HomeViewModel` or `RCPurchases`, but not for `HOME`, `Home` or `URLs`.
    var isCamelCase: Bool {
        zip(unqualifiedName, unqualifiedName.dropFirst()).contains {
            ($0.isLetter && !$0.isUppercase || $0.isDigit) && $1.isUppercase
        } || hasPrefixOfCapitals
    }

    private var hasPrefixOfCapitals: Bool {
        let capitals = unqualifiedName.prefix(while: \.isUppercase)
        let word = unqualifiedName[capitals.endIndex...].prefix { $0.isLetter && !$0.isUppercase }
        return capitals.count >= 2 && word.count >= 2
    }

    /// `true` for a name with a usual ending of type names, such as `CartModel`, but not for `Model` itself.
    var hasUsualEnding: Bool {
        Self.endings.contains {
            unqualifiedName.ends(with: $0) && unqualifiedName.count > $0.utf8CodeUnitCount
        }
    }

    private static let endings: [StaticString] = [
        "Controller", "ViewModel", "VC", "VM", "Presenter", "Interactor", "Coordinator", "View", "Page",
        "Screen", "Activity",
        "Fragment", "Service", "Manager", "Loader", "Model", "Store", "Cell", "Repository", "Provider",
        "Component", "Router",
        "Handler", "Client", "Session", "Reducer", "Widget", "State",
    ]
}
