/// Tells frames of the operating system and of language runtimes from an app's.
package enum SystemFrames {
    private static let folders: [StaticString] = [
        "/System/", "/usr/lib/", "/usr/share/swift/", "/lib/", "/lib64/", "/opt/swift", "/apex/", "/system/",
    ]

    /// Images by the beginnings of their names: runtimes, and the parts of `libSystem`.
    private static let runtimes: [StaticString] = [
        "libswift", "libsystem_", "libSystem.", "libobjc.", "libdispatch.", "libdyld", "dyld_", "dyld.",
        "libc.so", "libc++", "libm.so", "libpthread", "libstdc++", "libgcc", "ld-linux", "libFoundation.",
        "libXCTest", "libTesting.", "libBlocksRuntime", "libxpc", "libicu", "libsqlite3", "libz.so", "libz.1",
        "com.apple.", "XCTestCore", "libclang_rt", "lib_Foundation", "libart.so",
    ]

    /// Frameworks of Apple's systems that apps call, or are called by.
    private static let frameworks: Set<String> = [
        "AVFCore", "AVFoundation", "AVKit", "Accelerate", "AppKit", "AppIntents", "AttributeGraph",
        "AudioToolbox",
        "BackBoardServices", "BackgroundTasks", "BaseBoard", "CFNetwork", "CloudKit", "Combine", "Contacts",
        "CoreAnimation",
        "CoreAudio", "CoreAutoLayout", "CoreBluetooth", "CoreData", "CoreFoundation", "CoreGraphics",
        "CoreImage",
        "CoreLocation", "CoreMedia", "CoreML", "CoreMotion", "CoreServices", "CoreSpotlight", "CoreTelephony",
        "CoreText",
        "CoreVideo", "Foundation", "FrontBoardServices", "GameController", "GameKit",
        "GraphicsServices", "HIServices", "HIToolbox", "HealthKit", "IOKit", "ImageIO", "JavaScriptCore",
        "MapKit",
        "MediaPlayer", "MediaToolbox", "MessageUI", "Metal", "MetalKit", "Network", "Observation", "PDFKit",
        "PassKit",
        "PencilKit", "Photos", "PhotosUI", "QuartzCore", "RealityKit", "RunningBoardServices",
        "SafariServices", "SceneKit",
        "Security", "SpriteKit", "StoreKit", "SwiftData", "SwiftUI", "SwiftUICore", "SystemConfiguration",
        "UIFoundation",
        "UIKit", "UIKitCore", "UIKitMacHelper", "UniformTypeIdentifiers", "UpdateCycle", "UserNotifications",
        "VideoToolbox", "Vision", "WatchKit", "WebCore", "WebKit", "WidgetKit", "XCTest", "_Concurrency",
        "dyld",
    ]

    /// Functions of the system, of the C library and of runtimes, for frames that do not name their image, and for what is
    /// linked into the app's.
    private static let functions: Set<String> = [
        "KitRendererCommon(_:)", "KonanTerminateHandler()", "NSApplicationMain", "UIApplicationMain",
        "_assertionFailure(_:_:file:line:flags:)",
        "_fatalErrorMessage(_:_:file:line:flags:)", "_sigtramp", "abort", "calloc", "completeTask()",
        "completeTaskAndRelease()", "completeTaskWithClosure()", "free", "malloc",
        "malloc_zone_malloc",
        "objc_msgSend", "operator delete()", "operator delete[]()", "operator new()", "operator new[]()",
        "pthread_kill", "raise",
        "realloc",
        "runApp<A>(_:)", "start_wqthread", "static App.main()", "terminateHandler()", "thread_start",
    ]
    private static let functionHeads: [StaticString] = [
        "swift_", "swift::", "konan::", "kotlin.", "kotlinx.", "__Kotlin", "Kotlin_", "__asan", "__tsan",
        "_objc_", "objc_",
        "dispatch_", "_dispatch_", "std::", "pthread_", "_pthread_", "__pthread_", "-[NS", "+[NS", "-[UI",
        "+[UI", "-[_UI", "+[_UI",
        "-[CA", "-[WK", "+[KotlinBase", "__libc_start",
    ]

    /// - Parameters:
    ///   - image: the image's name; empty when the frame does not name it.
    ///   - path: the image's path, where the frame has it.
    static func isSystem(image: Text, path: Text, _ frame: CallFrame) -> Bool {
        let enclosing = frame.enclosingFunction.map { Text($0) }
        if let enclosing, isKotlinRuntime(enclosing) { return true }
        // Libraries of the system come without their sources.
        if frame.file != nil, !image.isEmpty { return false }
        if isSystemFolder(path) { return true }
        // A framework of an app may be called as one of the system.
        if path.contains(".app/") { return image.starts(with: "libswift") }
        if runtimes.contains(where: { image.starts(with: $0) }) || frameworks.contains(image.string) {
            return true
        }
        guard image.isEmpty, let enclosing else { return false }
        return isKnown(enclosing) || enclosing.contains("swift::")
    }

    /// Returns whether an image with this path is a library of the system.
    package static func isSystemFolder(_ path: String) -> Bool { isSystemFolder(Text(path)) }

    static func isSystemFolder(_ path: Text) -> Bool {
        // The volume of users' files.
        if path.starts(with: "/System/Volumes/Data/") { return false }
        return folders.contains { path.starts(with: $0) } || path.contains("/RuntimeRoot/System/")
    }

    /// Returns whether a function is of a runtime that is linked into apps' images.
    static func isRuntime(_ function: String) -> Bool {
        isKotlinRuntime(Text(FunctionName.enclosing(function)))
    }

    private static func isKnown(_ function: Text) -> Bool {
        functions.contains(function.string) || functionHeads.contains { function.starts(with: $0) }
    }

    /// Kotlin/Native links its runtime into the app's image.
    private static func isKotlinRuntime(_ function: Text) -> Bool {
        let heads: [StaticString] = [
            "konan::", "kotlin.", "kotlinx.", "Kotlin_", "__Kotlin_", "+[KotlinBase", "Konan",
        ]
        if heads.contains(where: { function.starts(with: $0) }) { return true }
        guard let thrown = function.dropping("Throw")?.droppingLast("Exception") else { return false }
        return thrown.allSatisfy(\.isLetter)
    }
}
