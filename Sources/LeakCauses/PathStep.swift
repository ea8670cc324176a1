internal import LeakMessage

/// A reference of a path, with the closures between its owner and the next object, in the form that rules compare.
struct PathStep {
    /// The kind of field that holds the reference: a property, an element of a collection, or a property of such an element.
    enum FieldKind { case property, element, member }

    /// The owner's type without generic arguments.
    let owner: String
    /// The type of the next object, without generic arguments.
    let target: String
    /// `true` if the name of the owner's type has a module. A name without a module, such as `Inner`, may belong to a type of
    /// the app or of a framework.
    var hasModule: Bool { module != nil }
    /// The module of the owner's type, if its name has one.
    var module: Substring? { owner.firstIndex(of: ".").map { owner[..<$0] } }
    /// The stored property that the field begins with, without the marks of property wrappers and lazy properties.
    let property: String
    /// The last name in the field, such as `parent` in `children[*].parent`.
    let name: String
    let isLazy: Bool
    let fieldKind: FieldKind
    let kind: RetainReference.Kind
    /// The number of closures and blocks between the owner and the next object.
    let closureCount: Int

    /// Limit of references that are read. With its standard budgets, RetainPaths reports at most 12 references of a cycle. Its
    /// paths from a global variable have no limit, but are rarely longer.
    private static let referenceLimit = 64

    static func steps(of path: RetainPath) -> [PathStep] {
        let references = path.references.prefix(referenceLimit)
        var steps: [PathStep] = []
        var index = references.startIndex
        while index < references.endIndex {
            let reference = references[index]
            // The references that closures and blocks hold belong to this step. A closure that captures only one object has no
            // context of its own, so ``RetainReference/isClosure`` marks it.
            var closureCount = 0
            index += 1
            while index < references.endIndex, isClosureContext(references[index].owner) {
                closureCount += 1
                index += 1
            }
            if reference.isClosure || isClosureContext(reference.owner) {
                closureCount = max(closureCount, 1)
            }
            let target = index < path.references.count ? path.references[index].owner : path.target
            steps.append(PathStep(reference, closureCount: closureCount, target: target))
        }
        return steps
    }

    private static func isClosureContext(_ owner: String) -> Bool { owner == "closure" || owner == "block" }

    private init(_ reference: RetainReference, closureCount: Int, target: String) {
        owner = Self.withoutArguments(reference.owner)
        self.target = Self.withoutArguments(target)
        let field = String(reference.field.unicodeScalars.prefix(Self.nameScalarLimit))
        let names = field.split(separator: ".").map { $0.prefix { $0 != "[" && $0 != "(" } }
            .filter { !$0.isEmpty && !$0.allSatisfy(\.isNumber) && !$0.hasSuffix(")") }
        isLazy = field.hasPrefix(Self.lazyPrefix)
        property = names.first.map(Self.withoutMarks) ?? ""
        name = names.last.map(Self.withoutMarks) ?? ""
        if let bracket = field.lastIndex(of: "]") {
            fieldKind = field[field.index(after: bracket)...].first == "." ? .member : .element
        } else {
            fieldKind = .property
        }
        kind = reference.kind
        self.closureCount = closureCount
    }

    private static let nameScalarLimit = 300
    private static let lazyPrefix = "$__lazy_storage_$_"

    private static func withoutMarks(_ name: Substring) -> String {
        if name.hasPrefix(lazyPrefix) { return String(name.dropFirst(lazyPrefix.count)) }
        let name = name.drop { $0 == "_" || $0 == "$" }
        // `delegate_`: Google's style guide for Objective-C++ ends instance variables with an underscore.
        return String(name.hasSuffix("_") ? name.dropLast() : name)
    }

    /// Returns `Combine.Published.Publisher` for `Combine.Published<Swift.Int>.Publisher`.
    private static func withoutArguments(_ type: String) -> String {
        var name = ""
        var depth = 0
        var previous: Unicode.Scalar = " "
        for scalar in type.unicodeScalars.prefix(nameScalarLimit) {
            if scalar == "<" { depth += 1 }
            if depth == 0 { name.unicodeScalars.append(scalar) }
            if scalar == ">", previous != "-" { depth = max(depth - 1, 0) }
            previous = scalar
        }
        return name
    }
}
