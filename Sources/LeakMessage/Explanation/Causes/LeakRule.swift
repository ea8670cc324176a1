/// A condition on a path: consecutive references, each with an owner, a field and a target.
struct LeakRule: Sendable {
    enum Shape: Sendable {
        case any, cycle, held
        /// A cycle that leads through a type of the app or its libraries, not through Apple's types alone.
        case ownCycle
        /// Held by a global or static variable.
        case fromGlobal
    }

    private let references: [ReferenceCondition]
    private let shape: Shape
    /// `true` if the path has no other references.
    private let isWhole: Bool
    /// Parts that the demangled name of one closure must contain, with placeholders as in the texts of ``LeakPattern``. Empty if
    /// the names of closures do not matter.
    private let closureName: [String]
    /// `false` if the rule relies on a name that could also mean something else.
    let isCertain: Bool

    private init(
        _ references: [ReferenceCondition], in shape: Shape, isWhole: Bool,
        closureNamed closureName: [String],
        isCertain: Bool
    ) {
        self.references = references
        self.shape = shape
        self.isWhole = isWhole
        self.closureName = closureName
        self.isCertain = isCertain
    }

    /// A rule that types, kinds and the shape of the path prove.
    static func certain(
        _ references: ReferenceCondition..., in shape: Shape = .any, isWhole: Bool = false,
        closureNamed name: String...
    ) -> LeakRule {
        LeakRule(references, in: shape, isWhole: isWhole, closureNamed: name, isCertain: true)
    }

    /// A rule that relies on a name that could also mean something else.
    static func probable(
        _ references: ReferenceCondition..., in shape: Shape = .any, isWhole: Bool = false
    ) -> LeakRule {
        LeakRule(references, in: shape, isWhole: isWhole, closureNamed: [], isCertain: false)
    }

    /// `true` if the rule depends on the name of a closure.
    var needsName: Bool { !closureName.isEmpty }

    /// Returns the index of the step that the last condition matches; `nil` if the path does not match.
    ///
    /// - Parameter closureNames: `nil` matches whatever the names of closures are.
    func match(_ steps: [PathStep], isCycle: Bool, _ closureNames: [Text]?) -> Int? {
        guard matchesShape(steps, isCycle: isCycle) else { return nil }
        guard isWhole ? steps.count == references.count : steps.count >= references.count else { return nil }
        let starts = isCycle ? steps.count : steps.count - references.count + 1
        for start in 0..<starts {
            let matches = references.indices.allSatisfy {
                references[$0].matches(steps[(start + $0) % steps.count])
            }
            let last = (start + references.count - 1) % steps.count
            guard matches else { continue }
            guard let closureNames, needsName else { return last }
            if isNamed(closureNames, PatternNames(steps, at: last, isCycle: isCycle)) { return last }
        }
        return nil
    }

    private func matchesShape(_ steps: [PathStep], isCycle: Bool) -> Bool {
        switch shape {
        case .any: !steps.isEmpty
        case .cycle: isCycle
        case .ownCycle: isCycle && steps.contains(where: ReferenceCondition.isOwn)
        case .held: !isCycle
        case .fromGlobal: !isCycle && steps.first?.kind == .global
        }
    }

    private func isNamed(_ closureNames: [Text], _ names: PatternNames) -> Bool {
        let parts = closureName.map { Text(PatternNames.fill($0, with: names)) }
        return closureNames.contains { name in parts.allSatisfy { name.firstRange(of: $0) != nil } }
    }
}

/// A condition on one reference of a path. Conditions that are not given are met by every reference.
struct ReferenceCondition: Sendable {
    private var owners: [String] = []
    private var ownerEndings: [String] = []
    private var targets: [String] = []
    private var targetEndings: [String] = []
    private var otherTargetEnding: String?
    private var fields: [String] = []
    private var otherField: String?
    private var fieldBeginnings: [String] = []
    private var fieldEndings: [String] = []
    /// `true` if a property that has the name of the class that it leads to matches too, besides ``fields``.
    private var acceptsNameOfTarget = false
    private var closureCount: ClosedRange<Int>?
    private var isOwn = false
    private var place: PathStep.Place?
    private var isLazy: Bool?
    private var isGeneric: Bool?

    static let any = ReferenceCondition()

    /// References of these types.
    ///
    /// A name with a module matches only that type. A name that ends with a dot matches all types whose names begin with it. A
    /// name without a module matches a type that has no module, such as a class of Objective-C, or that is in one of Apple's
    /// modules.
    static func of(_ owners: String...) -> ReferenceCondition { any.with { $0.owners = owners } }

    /// References of types whose names end with one of these texts.
    static func of(ending endings: String...) -> ReferenceCondition { any.with { $0.ownerEndings = endings } }

    /// References of an app's own types whose names end with one of these texts.
    static func ofOwn(ending endings: String...) -> ReferenceCondition {
        any.with {
            $0.ownerEndings = endings
            $0.isOwn = true
        }
    }

    /// References of an app's own types from properties of these names.
    static func from(_ fields: String..., ending endings: [String] = []) -> ReferenceCondition {
        any.with {
            $0.fields = fields
            $0.fieldEndings = endings
            $0.isOwn = true
        }
    }

    /// References of an app's own types from properties whose names begin with one of these texts.
    static func from(beginning beginnings: String...) -> ReferenceCondition {
        any.with {
            $0.fieldBeginnings = beginnings
            $0.isOwn = true
        }
    }

    /// References to objects that the runtime associates with an object, as FBRetainCycleDetector and memory graphs name them.
    static let associated = any.with { $0.fields = Array(PatternNames.associated) }

    /// References from lists, such as children, cells and subviews.
    static let child = any.element.object.from(not: "associated_objects")

    /// References of an app's own types to the object that holds them. The property has the name of that object's class, or one
    /// of these names.
    static let parent = any.with {
        $0.otherTargetEnding = "Coordinator"
        $0.isOwn = true
        $0.place = .property
        $0.closureCount = 0...0
        $0.acceptsNameOfTarget = true
        $0.fields = ["scrollView", "root", "container", "containerView"]
    }

    /// Matches references from properties of these names.
    func from(_ fields: String...) -> ReferenceCondition { with { $0.fields = fields } }
    /// Matches references from properties of other names.
    func from(not field: String) -> ReferenceCondition { with { $0.otherField = field } }
    /// Matches references to these types.
    func to(_ targets: String...) -> ReferenceCondition { with { $0.targets = targets } }
    /// Matches references to types whose names end with one of these texts.
    func to(ending endings: String...) -> ReferenceCondition { with { $0.targetEndings = endings } }
    /// Matches references to types whose names do not end with this text.
    func to(notEnding ending: String) -> ReferenceCondition { with { $0.otherTargetEnding = ending } }
    /// Matches references through a closure.
    var closure: ReferenceCondition { with { $0.closureCount = 1...Int.max } }
    /// Matches references through two closures or more, one of which captures the next.
    var nestedClosures: ReferenceCondition { with { $0.closureCount = 2...Int.max } }
    /// Matches references without a closure.
    var object: ReferenceCondition { with { $0.closureCount = 0...0 } }
    /// Matches references from an element of an array, dictionary or set.
    var element: ReferenceCondition { with { $0.place = .element } }
    /// Matches references from a property of an element that is a struct or enum.
    var member: ReferenceCondition { with { $0.place = .member } }
    /// Matches references from a property that is no collection.
    var property: ReferenceCondition { with { $0.place = .property } }
    var lazy: ReferenceCondition { with { $0.isLazy = true } }
    var notGeneric: ReferenceCondition { with { $0.isGeneric = false } }

    private func with(_ change: (inout ReferenceCondition) -> Void) -> ReferenceCondition {
        var condition = self
        change(&condition)
        return condition
    }

    func matches(_ step: PathStep) -> Bool {
        (closureCount?.contains(step.closures) ?? true)
            && (place ?? step.place) == step.place
            && (isLazy ?? step.isLazy) == step.isLazy
            && (isGeneric ?? step.isGeneric) == step.isGeneric
            && (owners.isEmpty || owners.contains { Self.isType($0, step.owner) })
            && (targets.isEmpty || targets.contains { Self.isType($0, step.target) })
            && (ownerEndings.isEmpty || ownerEndings.contains { step.owner.hasSuffix($0) })
            && (targetEndings.isEmpty || targetEndings.contains { step.target.hasSuffix($0) })
            && otherField != step.name
            && !(otherTargetEnding.map(step.target.hasSuffix) ?? false)
            && (fieldBeginnings.isEmpty || fieldBeginnings.contains { step.name.hasPrefix($0) })
            && matchesName(step)
            && (!isOwn || Self.isOwn(step))
    }

    private func matchesName(_ step: PathStep) -> Bool {
        fields.isEmpty && fieldEndings.isEmpty || fields.contains(step.name)
            || fieldEndings.contains { step.name.hasSuffix($0) }
            || acceptsNameOfTarget && Self.isNamedAsTarget(step)
    }

    /// `true` for a property `tableView` that leads to a `UITableView`. Names of up to six bytes, such as `row`, are too
    /// unspecific.
    private static func isNamedAsTarget(_ step: PathStep) -> Bool {
        step.name.utf8.count > 6 && step.target.lowercased().hasSuffix(step.name.lowercased())
    }

    private static func isType(_ pattern: String, _ type: String) -> Bool {
        if pattern.hasSuffix(".") { return type.hasPrefix(pattern) }
        if type == pattern { return true }
        guard !pattern.utf8.contains(UInt8(ascii: ".")), let dot = type.utf8.firstIndex(of: UInt8(ascii: "."))
        else { return false }
        return type[type.index(after: dot)...] == pattern && isAppleModule(type[..<dot])
    }

    /// `true` for types of the app and its libraries.
    static func isOwn(_ step: PathStep) -> Bool {
        if let dot = step.owner.utf8.firstIndex(of: UInt8(ascii: ".")) {
            return !isAppleModule(step.owner[..<dot])
        }
        let name = step.owner.drop { $0 == "_" }
        return name.first?.isUppercase == true && step.kind != .task
            && !applePrefixes.contains { name.hasPrefix($0) }
    }

    /// Beginnings of the names of Apple's Objective-C classes.
    private static let applePrefixes = [
        "AV", "CA", "CF", "CK", "CL", "CN", "NE", "NS", "OS_", "PH", "UI", "WK",
    ]

    private static func isAppleModule(_ module: Substring) -> Bool {
        SystemNames.isModule(Array(module.utf8)[...]) || furtherModules.contains(String(module))
    }

    /// Modules of Apple that occur on paths, besides those of ``SystemNames``. `__C` is the runtime's module for Objective-C.
    private static let furtherModules: Set<String> = [
        "__C", "AVFoundation", "FoundationEssentials", "FoundationNetworking", "Network", "SwiftData",
    ]
}
