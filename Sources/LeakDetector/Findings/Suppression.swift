extension LeakDetector {
    /// Which objects are never reported.
    public struct Suppression: Hashable, Sendable {
        /// Names of classes, with module or without: `Shop.Cache`, `UITextField`.
        public var classes: Set<String>
        /// What names of classes start with, module included: `Shop.Debug`.
        public var prefixes: [String]
        /// Names of modules: `MapKit`.
        public var modules: Set<String>
        /// Names of classes of windows whose screens and views are none of the app's, such as the keyboard's.
        public var windows: Set<String>

        /// - Parameters: added to what UIKit keeps by design, unless ``none`` is started from.
        public init(
            classes: Set<String> = [], prefixes: [String] = [], modules: Set<String> = [],
            windows: Set<String> = []
        ) {
            self = .standard
            self.classes.formUnion(classes)
            self.prefixes += prefixes
            self.modules.formUnion(modules)
            self.windows.formUnion(windows)
        }

        private init(_ classes: Set<String>, windows: Set<String>) {
            self.classes = classes
            prefixes = []
            modules = []
            self.windows = windows
        }

        /// Nothing is left out.
        public static let none = Suppression([], windows: [])

        /// What UIKit keeps by design.
        public static let standard = Suppression(SystemClasses.kept, windows: SystemClasses.windows)

        /// Whether objects of a class are left out.
        ///
        /// - Parameter className: qualified, with generic arguments.
        public func ignores(_ className: String) -> Bool {
            guard !SystemClasses.own.contains(className) else { return true }
            let name = QualifiedName(className)
            if let module = name.module, modules.contains(module) { return true }
            if prefixes.contains(where: { !$0.isEmpty && name.hasPrefix($0) }) { return true }
            return classes.contains(className) || !classes.isDisjoint(with: name.endings)
        }

        func ignoresWindow(_ className: String) -> Bool {
            windows.contains(className) || SystemClasses.own.contains(className)
        }
    }
}

/// A qualified name of a class, taken apart.
struct QualifiedName {
    let module: String?
    /// Without generic arguments: `Shop.Outer.Cell`; of a type in an extension, `Swift.Array.Cell`.
    private let bare: String

    init(_ className: String) {
        let extended = "(extension in "
        if className.hasPrefix(extended), let end = className.firstIndex(of: ")") {
            module = String(className[..<end].dropFirst(extended.count))
            bare = Self.withoutArguments(className[className.index(after: end)...].dropFirst())
        } else {
            let bare = Self.withoutArguments(className[...])
            module = bare.firstIndex(of: ".").map { String(bare[..<$0]) }
            self.bare = bare
        }
    }

    func hasPrefix(_ prefix: String) -> Bool {
        bare.hasPrefix(prefix) || module.map { "\($0).\(bare)".hasPrefix(prefix) } ?? false
    }

    /// All of it, and what is behind each dot.
    var endings: Set<String> {
        var endings: Set<String> = [bare]
        for dot in bare.indices where bare[dot] == "." {
            endings.insert(String(bare[bare.index(after: dot)...]))
        }
        return endings
    }

    private static func withoutArguments(_ name: Substring) -> String {
        var (depth, last, bare) = (0, Character(" "), "")
        for character in name {
            defer { last = character }
            if character == "<" {
                depth += 1
            } else if character == ">", last != "-" {
                depth -= 1
            } else if depth == 0 {
                bare.append(character)
            }
        }
        return bare
    }
}
