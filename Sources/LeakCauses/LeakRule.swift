internal import LeakMessage

/// A condition on a path: the form of the path, and conditions on consecutive references of it.
struct LeakRule: Sendable {
    enum Shape: Sendable {
        case any, cycle
        /// A path from a holder, not a cycle.
        case held
        /// A cycle that leads through a type of the app or its libraries, not through Apple's types alone.
        case ownCycle
        /// A path that begins at a global or static variable.
        case fromGlobal
        /// A path that leads through a closure.
        case closure
        /// A cycle that leads through a type of the app or its libraries, and through no closure.
        case objectCycle
    }

    private let conditions: [ReferenceCondition]
    private let shape: Shape
    /// `true` if the path must have no references besides those that the conditions match.
    private let coversWholePath: Bool
    /// Texts that the demangled name of one closure must contain. A text that starts with `^` must be at the start of the name.
    /// Placeholders are those of ``LeakPattern``. Empty if the names of closures do not matter.
    private let closureNameParts: [String]
    /// A text that the name of that closure must not contain.
    private let excludedNamePart: String?
    /// `false` if the rule relies on a name that could also mean something else.
    private let isCertain: Bool

    private init(
        _ conditions: [ReferenceCondition], in shape: Shape, coversWholePath: Bool,
        closureNamed closureNameParts: [String], except excludedNamePart: String? = nil, isCertain: Bool
    ) {
        self.conditions = conditions
        self.shape = shape
        self.coversWholePath = coversWholePath
        self.closureNameParts = closureNameParts
        self.excludedNamePart = excludedNamePart
        self.isCertain = isCertain
    }

    /// Creates a rule that relies only on types, kinds of references and the shape of the path, which cannot mean something
    /// else.
    static func certain(
        _ conditions: ReferenceCondition..., in shape: Shape = .any, coversWholePath: Bool = false,
        closureNamed nameParts: String...
    ) -> LeakRule {
        LeakRule(
            conditions, in: shape, coversWholePath: coversWholePath, closureNamed: nameParts, isCertain: true)
    }

    /// Creates a rule that relies on a name that could also mean something else.
    static func probable(
        _ conditions: ReferenceCondition..., in shape: Shape = .any, coversWholePath: Bool = false,
        closureNamed nameParts: String..., except excludedNamePart: String? = nil
    ) -> LeakRule {
        LeakRule(
            conditions, in: shape, coversWholePath: coversWholePath, closureNamed: nameParts,
            except: excludedNamePart,
            isCertain: false)
    }

    /// `true` if the rule depends on the name of a closure.
    var needsClosureName: Bool { !closureNameParts.isEmpty }

    /// Returns the index of the step that the last condition matches; `nil` if the path does not match.
    func match(_ steps: [PathStep], isCycle: Bool, _ closureNames: [Text]) -> Int? {
        guard matchesShape(steps, isCycle: isCycle) else { return nil }
        guard coversWholePath ? steps.count == conditions.count : steps.count >= conditions.count else {
            return nil
        }
        let startCount = isCycle ? steps.count : steps.count - conditions.count + 1
        for start in 0..<startCount {
            let matches = conditions.indices.allSatisfy {
                conditions[$0].matches(steps[(start + $0) % steps.count])
            }
            let last = (start + conditions.count - 1) % steps.count
            guard matches else { continue }
            guard needsClosureName else { return last }
            let names = PatternNames(steps, at: last, isCycle: isCycle)
            if matchesAny(closureNames: closureNames, patternNames: names) { return last }
        }
        return nil
    }

    /// Returns `true` if a path that the rule matched certainly has no other cause.
    ///
    /// For that, the rule must rely on no name that could mean something else, and the modules of the types that the rule names
    /// must be known; if the rule names no types, all owners must belong to one module of the app. The path must lead through
    /// at most one closure, and the name of that closure must be known. Unless the rule depends on that name, a function must
    /// contain the closure directly.
    func isProven(by steps: [PathStep], at index: Int, _ closureNames: [Text]) -> Bool {
        guard isCertain else { return false }
        switch steps.count(where: { $0.closureCount > 0 }) {
        case 0: break
        case 1:
            guard !closureNames.isEmpty, needsClosureName || closureNames.allSatisfy(Self.isPlain) else {
                return false
            }
        default: return false
        }
        let start = index + steps.count - conditions.count + 1
        let deciding = conditions.indices.filter { conditions[$0].namesOwner }
        return deciding.isEmpty
            ? steps.allSatisfy {
                $0.kind == .global
                    || $0.hasModule && $0.module == steps.last?.module && ReferenceCondition.hasOwnerInApp($0)
            }
            : deciding.allSatisfy { ReferenceCondition.isKnown(steps[(start + $0) % steps.count]) }
    }

    /// Returns `true` for a closure that a function contains directly. The name of any other closure may show a more specific
    /// cause.
    private static func isPlain(_ closureName: Text) -> Bool {
        closureName.firstRange(of: Text(" in closure #")) == nil
            && closureName.firstRange(of: Text("implicit closure #")) == nil
    }

    private func matchesShape(_ steps: [PathStep], isCycle: Bool) -> Bool {
        switch shape {
        case .any: !steps.isEmpty
        case .cycle: isCycle
        case .ownCycle: isCycle && steps.contains(where: ReferenceCondition.hasOwnerInApp)
        case .held: !isCycle
        case .fromGlobal: !isCycle && steps.first?.kind == .global
        case .closure: steps.contains { $0.closureCount > 0 }
        case .objectCycle:
            isCycle && steps.contains(where: ReferenceCondition.hasOwnerInApp)
                && steps.allSatisfy { $0.closureCount == 0 }
        }
    }

    private func matchesAny(closureNames: [Text], patternNames: PatternNames) -> Bool {
        let parts = closureNameParts.map { Text(PatternNames.fill($0, with: patternNames)) }
        return closureNames.contains { name in
            parts.allSatisfy { part in
                part.dropping("^").map { name.starts(with: $0) } ?? (name.firstRange(of: part) != nil)
            }
                && !(excludedNamePart.map { name.firstRange(of: Text($0)) != nil } ?? false)
        }
    }
}

/// A condition on one reference of a path. A property that is not set does not restrict the references.
struct ReferenceCondition: Sendable {
    private var owners: [String] = []
    private var ownerEndings: [String] = []
    private var targets: [String] = []
    private var targetEndings: [String] = []
    private var excludedTargetEnding: String?
    private var fields: [String] = []
    private var excludedField: String?
    private var fieldBeginnings: [String] = []
    private var fieldEndings: [String] = []
    /// `true` if a property that is named after the class of its value matches too, besides ``fields``.
    private var allowsNameOfTarget = false
    private var closureCount: ClosedRange<Int>?
    private var requiresOwnerInApp = false
    private var fieldKind: PathStep.FieldKind?
    private var isLazy: Bool?

    static let any = ReferenceCondition()

    /// Matches references that objects of these types hold.
    ///
    /// A name with a module matches only that type. A name that ends with a dot matches all types whose names begin with it,
    /// and a name that ends with an asterisk all types whose names begin with the text before the asterisk. A name without a
    /// module matches a type that has no module, such as a class of Objective-C, or that is in one of Apple's modules.
    static func of(_ owners: String...) -> ReferenceCondition { any.with { $0.owners = owners } }

    /// Matches references that are held by objects of types whose names end with one of these texts.
    static func of(ending endings: String...) -> ReferenceCondition { any.with { $0.ownerEndings = endings } }

    /// Matches references that objects of an app's own types hold, if the types' names end with one of these texts; without
    /// texts, all such types match.
    static func ofOwn(ending endings: String...) -> ReferenceCondition {
        any.with {
            $0.ownerEndings = endings
            $0.requiresOwnerInApp = true
        }
    }

    /// Matches references from properties of these names, or with one of these endings, in an app's own types.
    static func from(_ fields: String..., ending endings: [String] = []) -> ReferenceCondition {
        any.with {
            $0.fields = fields
            $0.fieldEndings = endings
            $0.requiresOwnerInApp = true
        }
    }

    /// Matches references from properties of an app's own types whose names begin with one of these texts.
    static func from(beginning beginnings: String...) -> ReferenceCondition {
        any.with {
            $0.fieldBeginnings = beginnings
            $0.requiresOwnerInApp = true
        }
    }

    /// References to associated objects of the Objective-C runtime, as FBRetainCycleDetector and memory graphs name them.
    static let associatedObject = any.with { $0.fields = Array(PatternNames.associatedObjectFields) }

    /// References from elements of collections, such as children, cells and subviews.
    static let child = any.element.withoutClosure.from(not: "associated_objects")

    /// References from properties of an app's own types to the object that probably holds the owner: the property is named after
    /// that object's class, or is one of ``fields``.
    static let parent = any.with {
        $0.requiresOwnerInApp = true
        $0.fieldKind = .property
        $0.allowsNameOfTarget = true
        $0.fields = ["scrollView", "root", "container", "containerView"]
    }

    /// Matches references from properties with one of these names.
    func from(_ fields: String...) -> ReferenceCondition { with { $0.fields = fields } }
    /// Matches references from properties whose name is not `field`.
    func from(not field: String) -> ReferenceCondition { with { $0.excludedField = field } }
    /// Matches references to these types.
    func to(_ targets: String...) -> ReferenceCondition { with { $0.targets = targets } }
    /// Matches references to types whose names end with one of these texts.
    func to(ending endings: String...) -> ReferenceCondition { with { $0.targetEndings = endings } }
    /// Matches references to types whose names do not end with this text.
    func to(notEnding ending: String) -> ReferenceCondition { with { $0.excludedTargetEnding = ending } }
    /// Matches references through one closure or more.
    var closure: ReferenceCondition { with { $0.closureCount = 1...Int.max } }
    /// Matches references without a closure.
    var withoutClosure: ReferenceCondition { with { $0.closureCount = 0...0 } }
    /// Matches references from an element of an array, dictionary or set.
    var element: ReferenceCondition { with { $0.fieldKind = .element } }
    /// Matches references from a property of an element that is a struct or enum.
    var member: ReferenceCondition { with { $0.fieldKind = .member } }
    /// Matches references from a property that is not a collection.
    var property: ReferenceCondition { with { $0.fieldKind = .property } }
    /// Matches references from lazy properties.
    var lazy: ReferenceCondition { with { $0.isLazy = true } }

    private func with(_ change: (inout ReferenceCondition) -> Void) -> ReferenceCondition {
        var condition = self
        change(&condition)
        return condition
    }

    func matches(_ step: PathStep) -> Bool {
        (closureCount?.contains(step.closureCount) ?? true)
            && (fieldKind ?? step.fieldKind) == step.fieldKind
            && (isLazy ?? step.isLazy) == step.isLazy
            && (owners.isEmpty || owners.contains { Self.isType($0, step.owner) })
            && (targets.isEmpty || targets.contains { Self.isType($0, step.target) })
            && (ownerEndings.isEmpty || ownerEndings.contains { step.owner.hasSuffix($0) })
            && (targetEndings.isEmpty || targetEndings.contains { step.target.hasSuffix($0) })
            && excludedField != step.name
            && !(excludedTargetEnding.map(step.target.hasSuffix) ?? false)
            && (fieldBeginnings.isEmpty || fieldBeginnings.contains { step.name.hasPrefix($0) })
            && matchesName(step)
            && (!requiresOwnerInApp || Self.hasOwnerInApp(step))
    }

    private func matchesName(_ step: PathStep) -> Bool {
        fields.isEmpty && fieldEndings.isEmpty || fields.contains(step.name)
            || fieldEndings.contains { step.name.hasSuffix($0) }
            || allowsNameOfTarget && Self.isNamedAsTarget(step)
    }

    /// Returns `true` for a property such as `tableView` whose value is a `UITableView`. Names of up to six bytes, such as `row`,
    /// are too unspecific.
    private static func isNamedAsTarget(_ step: PathStep) -> Bool {
        step.name.utf8.count > 6 && step.target.lowercased().hasSuffix(step.name.lowercased())
    }

    private static func isType(_ pattern: String, _ type: String) -> Bool {
        func matches(_ name: Substring) -> Bool {
            switch pattern.last {
            case ".": name.hasPrefix(pattern)
            case "*": name.hasPrefix(pattern.dropLast())
            default: name == pattern
            }
        }
        if matches(type[...]) { return true }
        guard let dot = type.utf8.firstIndex(of: UInt8(ascii: ".")), isAppleModule(type[..<dot]) else {
            return false
        }
        return matches(type[type.index(after: dot)...])
    }

    /// `true` if the condition names types of owners.
    var namesOwner: Bool { !owners.isEmpty }

    /// Libraries that patterns name.
    private static let knownLibraries: Set = ["FirebaseFirestore", "RealmSwift", "RxSwift"]

    /// Returns `true` if the name of the owner's type shows where the type comes from: the name has a known module, is that of
    /// an Objective-C class of Apple's, or stands for a task.
    static func isKnown(_ step: PathStep) -> Bool {
        let name = step.owner.drop { $0 == "_" }
        return step.kind == .task || applePrefixes.contains { name.hasPrefix($0) }
            || step.module.map { isAppleModule($0) || knownLibraries.contains(String($0)) } ?? false
    }

    /// Returns `true` if the owner's type belongs to the app or one of its libraries.
    static func hasOwnerInApp(_ step: PathStep) -> Bool {
        if let dot = step.owner.utf8.firstIndex(of: UInt8(ascii: ".")) {
            return !isAppleModule(step.owner[..<dot])
        }
        let name = step.owner.drop { $0 == "_" }
        return step.kind != .task && !["", "closure", "block", "global"].contains(step.owner)
            && !applePrefixes.contains { name.hasPrefix($0) }
    }

    /// Beginnings of the names of Apple's Objective-C classes.
    private static let applePrefixes = [
        "AV", "CA", "CF", "CK", "CL", "CN", "NE", "NS", "OS_", "PH", "UI", "WK",
    ]

    private static func isAppleModule(_ module: Substring) -> Bool {
        SystemNames.isSystemModule(Array(module.utf8)[...]) || additionalAppleModules.contains(String(module))
    }

    /// Apple's modules that occur on paths, besides those of ``SystemNames``, and OpenCombine, whose types have the names of
    /// Combine's types. `__C` is the runtime's module for Objective-C.
    private static let additionalAppleModules: Set<String> = [
        "__C", "AVFoundation", "FoundationEssentials", "FoundationNetworking", "Network", "OpenCombine",
        "SwiftData",
    ]
}
