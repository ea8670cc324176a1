/// Which names belong to the system.
enum SystemNames {
    /// Modules whose types are the system's. `UIKitCore` is what UIKit's own classes say since iOS 12.
    private static let modules: [String] = [
        "AppKit", "AVKit", "Combine", "CoreData", "CoreFoundation", "CoreGraphics", "Dispatch", "Foundation",
        "MapKit", "ObjectiveC", "Observation", "QuartzCore", "SafariServices", "StoreKit", "Swift", "SwiftUI",
        "SwiftUICore", "UIKit", "UIKitCore", "WebKit", "_Concurrency",
    ]

    /// SwiftUI's own views as they stand without a module inside the arguments of hosting wrappers.
    private static let views: [String] = [
        "AnyView", "Array", "Bool", "Button", "Color", "Dictionary", "Divider", "Double", "EmptyView",
        "ForEach",
        "Form", "GeometryReader", "Group", "HStack", "Image", "Int", "Label", "LazyVStack", "List",
        "ModifiedContent", "NavigationLink", "NavigationSplitView", "NavigationStack", "NavigationView",
        "Never",
        "Optional", "RootModifier", "ScrollView", "Section", "Spacer", "String", "TabView", "Text",
        "TupleView",
        "VStack", "ZStack",
    ]

    /// `UI…`, `_UI…`, `NS…`, `_NS…`, `SwiftUI.…`.
    static func isSystem(_ name: Text) -> Bool {
        let bare = name.dropping("_") ?? name
        return bare.starts(with: "UI") || bare.starts(with: "NS") || name.starts(with: "SwiftUI.")
    }

    /// True if a type that is named with its module is the system's, such as `Foundation.Timer`.
    static func isSystemType(_ qualified: String) -> Bool {
        let module = qualified.prefix { $0 != "." }
        return module.count < qualified.count && (module == "__C" || modules.contains { $0 == module })
    }

    static func isModule(_ name: Text) -> Bool {
        modules.contains { $0.utf8.elementsEqual(name) }
    }

    /// Types of the standard library and Foundation as they stand without a module, besides ``views``.
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

    /// Returns whether a name without generic arguments is that of an app's type.
    static func isAppType(_ name: Text) -> Bool {
        guard let dot = name.firstIndex(of: UInt8(ascii: ".")) else {
            // One letter is a parameter of a generic type.
            return name.count > 1 && name.first.map { $0.isUppercase || $0 >= 0x80 } ?? false
                && !isSystem(name) && !values.contains(name.string)
                && !views.contains { $0.utf8.elementsEqual(name) }
        }
        return !isModule(name[..<dot]) && !isSystem(name)
    }

    /// Whether the arguments of a generic type name a type that is not the system's.
    static func hasAppType(_ arguments: Text) -> Bool {
        Generics.words(of: arguments).contains { word in
            guard let dot = word.firstIndex(of: UInt8(ascii: ".")) else {
                guard word.first.map({ $0.isUppercase || $0 >= 0x80 }) ?? false else { return false }
                return !isSystem(word) && !views.contains { $0.utf8.elementsEqual(word) }
            }
            return !isModule(word[..<dot]) && !isSystem(word)
        }
    }
}

/// An app's module, as a name in the source and as the runtime spells it.
struct ModuleNames {
    private let given: Text
    private let spelt: Text

    init?(_ module: String?) {
        guard let module else { return nil }
        given = Text(module).trimmed
        spelt = given.map { $0.isLetter || $0.isDigit || $0 >= 0x80 ? $0 : UInt8(ascii: "_") }[...]
    }

    /// True for a name behind a package of Java or Kotlin, such as `com.acme.shop.CartActivity`: modules of Swift have no dot.
    static func isPackaged(_ name: Text) -> Bool {
        let head = name.prefix { $0 != UInt8(ascii: "<") }
        let parts = head.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3
            && parts[..<2].allSatisfy { $0.first.map { $0.isLetter && !$0.isUppercase } ?? false }
    }

    /// Parts the module from a dotted name; without an app's module the first component is taken for it.
    static func split(_ name: Text, _ app: ModuleNames?) -> (module: Text?, name: Text) {
        let head = name[..<(name.firstIndex(of: UInt8(ascii: "<")) ?? name.endIndex)]
        guard let dot = head.firstIndex(of: UInt8(ascii: ".")), dot > name.startIndex, dot + 1 < name.endIndex
        else {
            return (nil, name)
        }
        if let app, !app.given.isEmpty {
            // A module's name may hold a dot only as given, before the runtime spells it.
            for module in [app.given, app.spelt] where name.count > module.count + 1 {
                let end = name.startIndex + module.count
                if name[end] == UInt8(ascii: "."), name[..<end] == module {
                    return (name[..<end], name[(end + 1)...])
                }
            }
            guard SystemNames.isModule(name[..<dot]) else { return (nil, name) }
        }
        return (name[..<dot], name[(dot + 1)...])
    }
}
