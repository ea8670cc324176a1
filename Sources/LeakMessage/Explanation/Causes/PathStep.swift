/// A reference of a path, with the closures between its owner and the next object, in the form that rules compare.
struct PathStep {
    /// The part of the owner that holds the reference.
    enum Place { case property, element, member }

    /// The owner's type without generic arguments.
    let owner: String
    /// The type of the next object, without generic arguments.
    let target: String
    let isGeneric: Bool
    /// `true` for a generic type without a module, such as `Inner<A>`: Apple's frameworks have such types, and apps too.
    var mayBeOfApple: Bool { isGeneric && !owner.utf8.contains(UInt8(ascii: ".")) }
    /// The stored property that the field begins with, without the marks of property wrappers and lazy properties.
    let property: String
    /// The last name in the field: `parent` of `children[*].parent`.
    let name: String
    let isLazy: Bool
    let place: Place
    let kind: RetainReference.Kind
    /// The number of closures and blocks between the owner and the next object.
    let closures: Int

    /// Limit of references that are read. The finder's cycles have at most 12 references, and its paths from a global variable a
    /// few more.
    private static let limit = 64

    static func steps(of path: RetainPath) -> [PathStep] {
        let references = path.references.prefix(limit)
        var steps: [PathStep] = []
        var index = references.startIndex
        while index < references.endIndex {
            let first = references[index]
            // A closure that captures only one object has no context of its own.
            var closures = 0
            index += 1
            while index < references.endIndex, isContext(references[index].owner) {
                closures += 1
                index += 1
            }
            if first.isClosure || isContext(first.owner) { closures = max(closures, 1) }
            let target = index < path.references.count ? path.references[index].owner : path.target
            steps.append(PathStep(first, closures: closures, target: target))
        }
        return steps
    }

    private static func isContext(_ owner: String) -> Bool { owner == "closure" || owner == "block" }

    private init(_ reference: RetainReference, closures: Int, target: String) {
        owner = Self.withoutArguments(reference.owner)
        self.target = Self.withoutArguments(target)
        isGeneric = reference.owner.unicodeScalars.prefix(Self.nameLimit).contains("<")
        let field = String(reference.field.unicodeScalars.prefix(Self.nameLimit))
        let names = field.split(separator: ".").map { $0.prefix { $0 != "[" && $0 != "(" } }
            .filter { !$0.isEmpty && !$0.allSatisfy(\.isNumber) && !$0.hasSuffix(")") }
        isLazy = field.hasPrefix(Self.lazyPrefix)
        property = names.first.map(Self.withoutMarks) ?? ""
        name = names.last.map(Self.withoutMarks) ?? ""
        if let bracket = field.lastIndex(of: "]") {
            place = field[field.index(after: bracket)...].first == "." ? .member : .element
        } else {
            place = .property
        }
        kind = reference.kind
        self.closures = closures
    }

    private static let nameLimit = 300
    private static let lazyPrefix = "$__lazy_storage_$_"

    private static func withoutMarks(_ name: Substring) -> String {
        if name.hasPrefix(lazyPrefix) { return String(name.dropFirst(lazyPrefix.count)) }
        let name = name.drop { $0 == "_" || $0 == "$" }
        // `delegate_`, in the style of Google's Objective-C.
        return String(name.hasSuffix("_") ? name.dropLast() : name)
    }

    /// `Combine.Published.Publisher` for `Combine.Published<Swift.Int>.Publisher`.
    private static func withoutArguments(_ type: String) -> String {
        var name = ""
        var depth = 0
        var last: Unicode.Scalar = " "
        for scalar in type.unicodeScalars.prefix(nameLimit) {
            if scalar == "<" { depth += 1 }
            if depth == 0 { name.unicodeScalars.append(scalar) }
            if scalar == ">", last != "-" { depth = max(depth - 1, 0) }
            last = scalar
        }
        return name
    }
}
