internal import LeakMessage

/// Rules that distinguish frames of the operating system and of language runtimes from those of an app.
package enum SystemFrames {
    /// Beginnings of the names of images that are runtimes, parts of `libSystem` or other libraries of the system.
    private static let libraryPrefixes: [StaticString] = [
        "libswift", "libsystem_", "libSystem.", "libobjc.", "libdispatch.", "libdyld", "dyld_", "dyld.",
        "libc.so", "libc++", "libm.so", "libpthread", "libstdc++", "libgcc", "ld-linux", "libFoundation.",
        "libXCTest", "libTesting.", "libBlocksRuntime", "libxpc", "libicu", "libsqlite3", "libz.so", "libz.1",
        "com.apple.", "XCTestCore", "libclang_rt", "lib_Foundation", "libart.so", "libMainThreadChecker",
        "libBacktraceRecording", "libViewDebuggerSupport", "libAccessibility", "libMobileGestalt", "libRPAC",
        "libLogRedirect", "libGPUToolsCapture", "libcupolicy", "libAXSafeCategoryBundle", "libnetwork.",
        "libboringssl.", "libcoreroutine", "libcrypto.so", "libssl.so", "libcompression.", "libcache.",
        "libcommonCrypto", "libcorecrypto", "libquic", "libusrtcp", "libxml2.", "libiconv.", "libCRFSuite",
        "libMatch.", "libsandbox.", "libAWDSupport", "libTelephony", "libInFieldCollection", "libtidy.",
        "libmarisa", "libcoretls", "libbsm.", "libutil.", "libunwind.", "libkxld", "libmacho.", "libcopyfile",
        "libremovefile", "libquarantine", "libkeymgr", "liblaunch.", "libate.", "libresolv.", "libMTLCapture",
    ]

    /// Frameworks of Apple's systems that apps call, or that call apps.
    private static let frameworks: Set<String> = [
        "ARKit", "AVFAudio", "AVFCore", "AVFoundation", "AVKit", "AVRouting", "AXRuntime", "Accelerate",
        "Accessibility", "AccessibilityUtilities", "ActivityKit", "AdAttributionKit",
        "AdServices", "AdSupport", "AddressBook", "AddressBookUI", "AnimationFoundation", "AppIntents",
        "AppKit", "AppTrackingTransparency", "AssetsLibrary", "AttributeGraph", "AudioToolbox", "AudioUnit",
        "AuthenticationServices", "AutomatedDeviceEnrollment", "AutomaticAssessmentConfiguration",
        "BackBoardServices", "BackgroundAssets", "BackgroundTasks", "BaseBoard", "BoardServices",
        "BrowserEngineKit", "BusinessChat", "CFNetwork", "CalendarStore", "CallKit", "CarPlay",
        "ClassKit", "ClockKit", "ClockPoster", "CloudKit",
        "ColorSync", "Combine", "Contacts", "ContactsUI", "CoreAnimation", "CoreAudio", "CoreAudioKit",
        "CoreAudioTypes", "CoreAutoLayout", "CoreBluetooth", "CoreData", "CoreDisplay", "CoreFoundation",
        "CoreGraphics", "CoreHaptics", "CoreImage", "CoreLocation", "CoreLocationUI", "CoreMIDI", "CoreML",
        "CoreMedia", "CoreMediaIO", "CoreMotion", "CoreNFC", "CorePhoneNumbers", "CoreServices",
        "CoreSpotlight", "CoreSuggestions", "CoreSymbolication", "CoreTelephony", "CoreText",
        "CoreTransferable", "CoreUI", "CoreVideo", "CoreWLAN", "CreateML", "CryptoKit", "CryptoTokenKit",
        "DataDetection", "DataDetectorsCore", "DeveloperToolsSupport", "DeviceActivity", "DeviceCheck",
        "DeviceDiscoveryExtension", "DeviceDiscoveryUI", "DiskArbitration", "DockKit", "DriverKit",
        "EventKit", "EventKitUI", "ExceptionHandling", "ExecutionPolicy", "ExposureNotification",
        "ExtensionFoundation", "ExtensionKit", "ExternalAccessory", "FamilyControls", "FileProvider",
        "FileProviderUI", "FinderSync", "ForceFeedback", "Foundation", "FoundationModels",
        "FrontBoardServices", "GLKit", "GLUT", "GPUCompiler", "GSS", "GameController", "GameKit",
        "GameplayKit", "GeoServices", "GraphicsServices", "GroupActivities", "HIServices", "HIToolbox",
        "HealthKit", "HealthKitUI", "HomeKit", "IOBluetooth", "IOBluetoothUI", "IOKit",
        "IOSurface", "IOSurfaceAccelerator", "IdentityLookup", "IdentityLookupUI", "ImageCaptureCore",
        "ImageIO", "ImagePlayground", "InputMethodKit", "IntentsUI", "JavaScriptCore",
        "JournalingSuggestions", "KeyboardLayouts", "LightweightCodeRequirements",
        "LinkPresentation", "LiveCommunicationKit", "LocalAuthentication", "LocalAuthenticationEmbeddedUI",
        "LockedCameraCapture", "LoggingSupport", "MLCompute", "ManagedSettings", "ManagedSettingsUI",
        "MapKit", "MarketplaceKit", "MatterSupport", "MediaAccessibility",
        "MediaExperience", "MediaPlayer", "MediaRemote", "MediaSetup", "MediaToolbox",
        "MessageUI", "Metal", "MetalFX", "MetalKit", "MetalPerformanceShaders",
        "MetalPerformanceShadersGraph", "MetricKit", "MobileCoreServices", "MobileIcons", "ModelIO",
        "MultipeerConnectivity", "MusicKit", "NaturalLanguage", "NearbyInteraction", "Network",
        "NetworkExtension", "OSAKit", "OSLog", "ObjectiveC", "Observation", "OpenAL",
        "OpenCL", "OpenDirectory", "OpenGL", "OpenGLES", "OpenScripting", "PDFKit", "PHASE",
        "ParavirtualizedGraphics", "PassKit", "PencilKit", "PersonalizationPortrait", "PhotoLibraryServices",
        "PhotoLibraryServicesCore", "Photos", "PhotosUI", "PhotosUICore", "PointerUIServices",
        "PreferencePanes", "PrintCore", "ProactiveSupport", "ProximityReader", "PushKit", "PushToTalk",
        "QuartzCore", "QuickLook", "QuickLookThumbnailing", "QuickLookUI", "RealityFoundation",
        "RealityKit", "RelevanceKit", "RenderBox", "ReplayKit", "RoomPlan", "RunningBoardServices",
        "SafariServices", "SceneKit", "ScreenCaptureKit", "ScreenReader", "ScreenSaver",
        "ScriptingBridge", "SecureElementCredential", "Security", "SecurityFoundation",
        "SecurityInterface", "SensitiveContentAnalysis", "SensorKit", "ServiceManagement", "ShaderGraph",
        "SharedWithYou", "SharedWithYouCore", "ShazamKit", "SkyLight", "SoundAnalysis",
        "SpriteKit", "StoreKit", "SwiftData", "SwiftUI", "SwiftUICore",
        "SymptomPresentationFeed", "SyncServices", "SystemConfiguration", "SystemExtensions", "TCC",
        "TVMLKit", "TVServices", "TVUIKit", "TabularData", "TelephonyUtilities", "TextInputCore",
        "TextInputUI", "TipKit", "ToneLibrary", "TranslationUIServices",
        "TrustedPeers", "UIAccessibility", "UIFoundation", "UIKit", "UIKitCore", "UIKitMacHelper",
        "UIKitServices", "UniformTypeIdentifiers", "UpdateCycle", "UserManagement", "UserNotifications",
        "UserNotificationsUI", "VideoDecodeAcceleration", "VideoSubscriberAccount", "VideoToolbox",
        "Vision", "VisionKit", "VisualIntelligence", "WalletPasses", "WatchConnectivity",
        "WatchKit", "WeatherKit", "WebCore", "WebGPU", "WebKit", "WebKitLegacy", "WiFiAware", "WidgetKit",
        "WorkoutKit", "WritingTools", "XCTAutomationSupport", "XCTest", "XCTestSupport", "XCUIAutomation",
        "XPC", "_AVKit_SwiftUI", "_AppIntents_SwiftUI", "_AuthenticationServices_SwiftUI", "_Concurrency",
        "_CoreData_CloudKit", "_DeviceActivity_SwiftUI", "_GroupActivities_UIKit", "_HomeKit_SwiftUI",
        "_LocationEssentials", "_MapKit_SwiftUI", "_MarketplaceKit_UIKit", "_MusicKit_SwiftUI",
        "_PassKit_SwiftUI", "_PhotosUI_SwiftUI", "_QuickLook_SwiftUI", "_RealityKit_SwiftUI",
        "_SceneKit_SwiftUI", "_SpriteKit_SwiftUI", "_StoreKit_SwiftUI", "_StringProcessing",
        "_SwiftData_SwiftUI", "_TipKit_SwiftUI", "_Translation_SwiftUI", "_WatchKit_SwiftUI",
        "_WebKit_SwiftUI", "dyld", "vImage", "vecLib",
    ]

    /// Functions of the system, of the C library and of runtimes. They make a frame a system frame only if it does not name its
    /// image.
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
    /// Beginnings of names of functions that make a frame a system frame in the same way as ``functions``.
    private static let functionPrefixes: [StaticString] = [
        "swift_", "swift::", "konan::", "kotlin.", "kotlinx.", "__Kotlin", "Kotlin_", "__asan", "__tsan",
        "_objc_", "objc_",
        "dispatch_", "_dispatch_", "std::", "pthread_", "_pthread_", "__pthread_", "-[NS", "+[NS", "-[UI",
        "+[UI", "-[_UI", "+[_UI",
        "-[CA", "-[WK", "+[KotlinBase", "__libc_start",
    ]

    /// Returns `true` for a frame of the operating system or of a language runtime.
    ///
    /// - Parameters:
    ///   - image: the name of the image; empty if the frame does not name its image.
    ///   - path: the path of the image; the name if the frame has no path.
    static func isSystem(image: Text, path: Text, _ frame: CallFrame) -> Bool {
        let function = frame.enclosingFunction.map { Text($0) }
        if let function, isLinkedRuntime(function) { return true }
        // Frames of system libraries have no source files.
        if frame.file != nil, !image.isEmpty { return false }
        if SystemNames.isSystemPath(path) { return true }
        // An app may contain a framework with the name of a system framework.
        if path.contains(".app/") { return image.starts(with: "libswift") }
        if libraryPrefixes.contains(where: { image.starts(with: $0) }) || frameworks.contains(image.string) {
            return true
        }
        guard let function else { return false }
        // The C library links this function into each program.
        if function.equals("_start") { return true }
        guard image.isEmpty else { return false }
        return isSystemFunction(function) || function.contains("swift::")
    }

    /// Returns `true` if a function is of a runtime that is linked into apps' images.
    static func isRuntime(_ function: String) -> Bool {
        isLinkedRuntime(Text(FunctionNameReader.enclosing(function)))
    }

    private static func isSystemFunction(_ function: Text) -> Bool {
        functions.contains(function.string) || functionPrefixes.contains { function.starts(with: $0) }
    }

    /// Returns `true` for a function of the runtime of Kotlin/Native, or of a sanitizer in place of `malloc`. Both are linked into the
    /// app's image.
    private static func isLinkedRuntime(_ function: Text) -> Bool {
        let heads: [StaticString] = [
            "konan::", "kotlin.", "kotlinx.", "Kotlin_", "__Kotlin_", "+[KotlinBase", "Konan_",
            "KonanTerminateHandler", "__interceptor_", "___interceptor_", "wrap_malloc", "wrap_calloc",
            "wrap_realloc", "wrap_posix_memalign",
        ]
        if heads.contains(where: { function.starts(with: $0) }) { return true }
        guard let thrown = function.dropping("Throw") else { return false }
        return kotlinExceptions.contains((thrown.droppingLast("Exception") ?? thrown).string)
    }

    /// The functions of Kotlin/Native's runtime that throw, without `Throw` at their beginning and `Exception` at their end.
    ///
    /// Source: `kotlin-native/runtime/src/main/cpp/Exceptions.h` and `RuntimeUtils.kt` of JetBrains/kotlin.
    private static let kotlinExceptions: Set<String> = [
        "", "Arithmetic", "ArrayIndexOutOfBounds", "CharacterCoding", "ClassCast", "FileFailedToInitialize",
        "Freezing",
        "IllegalArgument", "IllegalArgumentExceptionWithMessage", "IllegalCharacterConversion",
        "IllegalObjectSharing", "IllegalState", "IllegalStateExceptionWithMessage", "IncorrectDereference",
        "InvalidMutability", "InvalidReceiverType", "NotImplementedError", "NoWhenBranchMatched",
        "NullPointer", "NumberFormat", "OutOfMemoryError", "Runtime", "TypeCast",
        "UninitializedPropertyAccess", "WorkerInvalidState",
    ]
}
