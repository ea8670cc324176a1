// swift-tools-version: 6.2
import PackageDescription

// The parts of the libraries that only Apple's systems compile, compiled and run on Linux against stand-ins for UIKit, SwiftUI,
// AppKit and Combine. A separate package with a separate scratch path, because a target named UIKit would be taken for Apple's
// module.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

let package = Package(
    name: "Checks",
    targets: [
        .target(name: "Associations", swiftSettings: settings),
        .target(name: "UIKit", dependencies: ["Associations"], swiftSettings: settings),
        .target(name: "AppKit", dependencies: ["Associations"], swiftSettings: settings),
        .target(name: "SwiftUI", dependencies: ["Combine"], swiftSettings: settings),
        .target(name: "Combine", swiftSettings: settings),

        // The sources of the libraries, by symbolic links.
        .systemLibrary(name: "CLeakLinux"),
        .systemLibrary(name: "CLeakCurl"),
        .systemLibrary(name: "CLeakZlib"),
        .target(name: "LeakGzip", dependencies: ["CLeakZlib"], swiftSettings: settings),
        .target(name: "LeakTransport", swiftSettings: settings),
        .target(name: "LeakHTTPClient", dependencies: ["CLeakCurl"], swiftSettings: settings),
        .target(name: "LeakPlatform", dependencies: ["CLeakLinux"], swiftSettings: settings),
        .target(
            name: "LeakMessage", dependencies: ["LeakPlatform"], swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m")]),
        .target(name: "LeakGrammar", dependencies: ["LeakMessage", "LeakPlatform"], swiftSettings: settings),
        .target(
            name: "LeakDetector",
            dependencies: ["LeakMessage", "LeakPlatform", "UIKit", "AppKit", "SwiftUI", "Combine"],
            swiftSettings: settings),
        .target(
            name: "LeakReporter",
            dependencies: [
                "LeakMessage", "LeakGrammar", "LeakGzip", "LeakPlatform", "CLeakLinux", "LeakTransport",
                "LeakHTTPClient", "UIKit",
            ],
            exclude: ["PrivacyInfo.xcprivacy"], swiftSettings: settings),

        .testTarget(
            name: "LeakDetectorChecks",
            dependencies: [
                "LeakDetector", "LeakMessage", "LeakPlatform", "UIKit", "AppKit", "SwiftUI", "Combine",
            ],
            // Swift Testing has additions for the real UIKit and AppKit, which do not work with other modules of these names.
            swiftSettings: settings + [
                .unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])
            ]),
        .testTarget(
            name: "LeakReporterChecks",
            dependencies: [
                "LeakReporter", "LeakTransport", "LeakMessage", "LeakGzip", "LeakPlatform", "UIKit",
            ],
            swiftSettings: settings + [
                .unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])
            ]),
    ],
    swiftLanguageModes: [.v6]
)
