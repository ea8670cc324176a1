extension LeakDetector {
    /// Rules for objects that are never reported.
    public struct Suppression: Hashable, Sendable {
        /// Names of classes, with or without module: `Shop.Cache`, `UITextField`.
        public var classes: Set<String>
        /// Prefixes of class names, module included: `Shop.Debug`.
        public var prefixes: [String]
        /// Names of modules: `MapKit`.
        public var modules: Set<String>
        /// Class names of windows whose screens and views do not belong to the app, such as the keyboard's.
        public var windows: Set<String>

        /// Makes rules that consist of ``standard`` and the given entries. To leave the standard entries out, start from ``none``.
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

        /// Rules without entries: they suppress only the detector's own classes.
        public static let none = Suppression([], windows: [])

        /// Classes and windows that UIKit keeps by design.
        public static let standard = Suppression(SystemClasses.kept, windows: SystemClasses.windows)

        /// Returns `true` if objects of a class are not reported.
        ///
        /// - Parameter className: the qualified name, with generic arguments.
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
