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
