/// Rules that distinguish names of Apple's systems from those of an app.
package enum SystemNames {
    /// Modules whose types belong to the system. UIKit's own classes name the module `UIKitCore` since iOS 12.
    private static let modules: [String] = [
        "AppKit", "AVKit", "Combine", "CoreData", "CoreFoundation", "CoreGraphics", "Dispatch", "Foundation",
        "MapKit", "ObjectiveC", "Observation", "QuartzCore", "SafariServices", "StoreKit", "Swift", "SwiftUI",
        "SwiftUICore", "UIKit", "UIKitCore", "WebKit", "_Concurrency",
    ]

    /// SwiftUI's own views as they are written without a module inside the arguments of hosting wrappers.
    package static let views: [String] = [
        "AnyView", "Array", "Bool", "Button", "Color", "Dictionary", "Divider", "Double", "EmptyView",
        "ForEach",
        "Form", "GeometryReader", "Group", "HStack", "Image", "Int", "Label", "LazyVStack", "List",
        "ModifiedContent", "NavigationLink", "NavigationSplitView", "NavigationStack", "NavigationView",
        "Never",
        "Optional", "RootModifier", "ScrollView", "Section", "Spacer", "String", "TabView", "Text",
        "TupleView",
        "VStack", "ZStack",
    ]

    private static let folders: [StaticString] = [
        "/System/", "/usr/lib/", "/usr/share/swift/", "/lib/", "/lib64/", "/opt/swift", "/apex/", "/system/",
    ]

    /// Returns `true` if an image with this path is a library of the system.
    package static func isFolder(_ path: String) -> Bool { isFolder(Text(path)) }

    package static func isFolder(_ path: Text) -> Bool {
        // The volume of users' files.
        if path.starts(with: "/System/Volumes/Data/") { return false }
        return folders.contains { path.starts(with: $0) } || path.contains("/RuntimeRoot/System/")
    }

    /// `UI…`, `_UI…`, `NS…`, `_NS…`, `SwiftUI.…`.
    package static func isSystem(_ name: Text) -> Bool {
        let bare = name.dropping("_") ?? name
        return bare.starts(with: "UI") || bare.starts(with: "NS") || name.starts(with: "SwiftUI.")
    }

    /// `true` if a type that is named with its module is the system's, such as `Foundation.Timer`.
    package static func isSystemType(_ qualified: String) -> Bool {
        let module = qualified.prefix { $0 != "." }
        return module.count < qualified.count && (module == "__C" || modules.contains { $0 == module })
    }

    package static func isModule(_ name: Text) -> Bool {
        modules.contains { $0.utf8.elementsEqual(name) }
    }

    /// Types of the standard library and Foundation as they are written without a module, besides ``views``.
    private static let values: Set<String> = [
        "Any", "AnyClass", "AnyCancellable", "AnyHashable", "AnyObject", "AnyPublisher", "AsyncStream",
        "AsyncThrowingStream", "Character", "CGFloat", "CGPoint", "CGRect", "CGSize", "ClosedRange", "Data",
        "Date", "Decimal", "Error", "Float", "Int16", "Int32", "Int64", "Int8", "Notification", "Range",
        "Result", "Sequence", "Set", "Substring", "Task", "UInt", "UInt16", "UInt32", "UInt64", "UInt8",
        "URL", "URLRequest", "UUID", "Void",
        // Foundation
        "AttributedString", "Calendar", "CharacterSet", "DateComponents", "DateInterval", "DispatchTime",
        "DispatchTimeInterval", "IndexPath", "IndexSet", "Locale", "Measurement", "PersonNameComponents",
        "TimeInterval", "TimeZone", "URLComponents", "URLError", "URLQueryItem", "URLResponse",
        "HTTPURLResponse", "URLSession", "URLSessionTask", "JSONDecoder", "JSONEncoder",
        "FileManager", "DispatchQueue", "OperationQueue", "ProcessInfo", "Bundle",
        // The standard library and Combine
        "AnyIterator", "AnyKeyPath", "AnySequence", "ArraySlice", "CheckedContinuation", "ContiguousArray",
        "ContinuousClock", "CountableRange", "CurrentValueSubject", "Duration", "KeyPath", "KeyValuePairs",
        "LazySequence", "ObjectIdentifier", "PartialKeyPath", "PassthroughSubject",
        "ReferenceWritableKeyPath",
        "StaticString", "SuspendingClock", "UnsafeContinuation", "UnsafeMutablePointer",
        "UnsafeMutableRawPointer", "UnsafePointer", "UnsafeRawPointer", "WritableKeyPath",
        // Core Graphics, UIKit and SwiftUI
        "CATransform3D", "CGAffineTransform", "CGColor", "CGImage", "CGPath", "CGVector", "CLLocation",
        "CLLocationCoordinate2D", "CMTime", "Angle", "Binding", "EdgeInsets", "IndexedIdentifierCollection",
        "LocalizedStringKey", "NavigationPath", "PresentationMode", "UnitPoint",
    ]

    /// Returns `true` if a name without generic arguments is that of an app's type.
    package static func isAppType(_ name: Text) -> Bool {
        guard let dot = name.firstIndex(of: UInt8(ascii: ".")) else {
            // One letter is a parameter of a generic type.
            return name.count > 1 && name.first.map { $0.isUppercase || $0 >= 0x80 } ?? false
                && !isSystem(name) && !values.contains(name.string)
                && !views.contains { $0.utf8.elementsEqual(name) }
        }
        return !isModule(name[..<dot]) && !isSystem(name)
    }
}
