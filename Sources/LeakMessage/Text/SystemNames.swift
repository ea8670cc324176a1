/// Rules that distinguish names of Apple's operating systems from names of an app.
package enum SystemNames {
    /// Modules whose types belong to the system. UIKit's own classes name the module `UIKitCore` since iOS 12.
    private static let modules: [String] = [
        "AppKit", "AVKit", "Combine", "CoreData", "CoreFoundation", "CoreGraphics", "Dispatch", "Foundation",
        "MapKit", "ObjectiveC", "Observation", "QuartzCore", "SafariServices", "StoreKit", "Swift", "SwiftUI",
        "SwiftUICore", "UIKit", "UIKitCore", "WebKit", "_Concurrency",
    ]

    /// Views of SwiftUI, and types of the standard library that occur beside them as generic arguments of classes such as
    /// `UIHostingController`. These arguments are printed without a module.
    package static let viewTypes: [String] = [
        "AnyView", "Array", "Bool", "Button", "Color", "Dictionary", "Divider", "Double", "EmptyView",
        "ForEach",
        "Form", "GeometryReader", "Group", "HStack", "Image", "Int", "Label", "LazyVStack", "List",
        "ModifiedContent", "NavigationLink", "NavigationSplitView", "NavigationStack", "NavigationView",
        "Never",
        "Optional", "RootModifier", "ScrollView", "Section", "Spacer", "String", "TabView", "Text",
        "TupleView",
        "VStack", "ZStack",
    ]

    private static let systemPathPrefixes: [StaticString] = [
        "/System/", "/usr/lib/", "/usr/share/swift/", "/lib/", "/lib64/", "/opt/swift", "/apex/", "/system/",
    ]

    /// Returns `true` if an image with this path is a library of the system.
    package static func isSystemPath(_ path: String) -> Bool { isSystemPath(Text(path)) }

    package static func isSystemPath(_ path: Text) -> Bool {
        // This folder is the volume with users' files and apps, not with the system.
        if path.starts(with: "/System/Volumes/Data/") { return false }
        return systemPathPrefixes.contains { path.starts(with: $0) } || path.contains("/RuntimeRoot/System/")
    }

    /// Returns `true` for `UI…`, `_UI…`, `NS…`, `_NS…` and `SwiftUI.…`.
    package static func hasSystemPrefix(_ name: Text) -> Bool {
        let withoutUnderscore = name.dropping("_") ?? name
        return withoutUnderscore.starts(with: "UI") || withoutUnderscore.starts(with: "NS")
            || name.starts(with: "SwiftUI.")
    }

    /// Returns `true` if a type's name begins with a module of the system, as `Foundation.Timer` does. `__C`, the module of
    /// imported types, counts as one.
    package static func isSystemType(_ qualified: String) -> Bool {
        let module = qualified.prefix { $0 != "." }
        return module.count < qualified.count && (module == "__C" || modules.contains { $0 == module })
    }

    package static func isSystemModule(_ name: Text) -> Bool {
        modules.contains { $0.utf8.elementsEqual(name) }
    }

    /// Types of the system's modules, such as Foundation and Combine, that are often written without their module, besides
    /// ``viewTypes``.
    private static let unqualifiedTypes: Set<String> = [
        "Any", "AnyClass", "AnyCancellable", "AnyHashable", "AnyObject", "AnyPublisher", "AsyncStream",
        "AsyncThrowingStream", "Character", "CGFloat", "CGPoint", "CGRect", "CGSize", "ClosedRange", "Data",
        "Date", "Decimal", "Error", "Float", "Int16", "Int32", "Int64", "Int8", "Notification", "Range",
        "Result", "Sequence", "Set", "Substring", "Task", "UInt", "UInt16", "UInt32", "UInt64", "UInt8",
        "URL", "URLRequest", "UUID", "Void",
        "AttributedString", "Calendar", "CharacterSet", "DateComponents", "DateInterval", "DispatchTime",
        "DispatchTimeInterval", "IndexPath", "IndexSet", "Locale", "Measurement", "PersonNameComponents",
        "TimeInterval", "TimeZone", "URLComponents", "URLError", "URLQueryItem", "URLResponse",
        "HTTPURLResponse", "URLSession", "URLSessionTask", "JSONDecoder", "JSONEncoder",
        "FileManager", "DispatchQueue", "OperationQueue", "ProcessInfo", "Bundle",
        "AnyIterator", "AnyKeyPath", "AnySequence", "ArraySlice", "CheckedContinuation", "ContiguousArray",
        "ContinuousClock", "CountableRange", "CurrentValueSubject", "Duration", "KeyPath", "KeyValuePairs",
        "LazySequence", "ObjectIdentifier", "PartialKeyPath", "PassthroughSubject",
        "ReferenceWritableKeyPath",
        "StaticString", "SuspendingClock", "UnsafeContinuation", "UnsafeMutablePointer",
        "UnsafeMutableRawPointer", "UnsafePointer", "UnsafeRawPointer", "WritableKeyPath",
        "CATransform3D", "CGAffineTransform", "CGColor", "CGImage", "CGPath", "CGVector", "CLLocation",
        "CLLocationCoordinate2D", "CMTime", "Angle", "Binding", "EdgeInsets", "IndexedIdentifierCollection",
        "LocalizedStringKey", "NavigationPath", "PresentationMode", "UnitPoint",
    ]

    /// Returns `true` if a name, given without generic arguments, is most probably that of an app's type.
    package static func isAppType(_ name: Text) -> Bool {
        guard let dot = name.firstIndex(of: UInt8(ascii: ".")) else {
            // A name of one letter is a parameter of a generic type.
            return name.count > 1 && name.first.map { $0.isUppercase || $0 >= 0x80 } ?? false
                && !hasSystemPrefix(name) && !unqualifiedTypes.contains(name.string)
                && !viewTypes.contains { $0.utf8.elementsEqual(name) }
        }
        return !isSystemModule(name[..<dot]) && !hasSystemPrefix(name)
    }
}
