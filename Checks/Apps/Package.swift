// swift-tools-version: 6.2
import PackageDescription

// The libraries for apps and their tests, so that a simulator can build and test them. The collector is left out, because the
// SDKs of iOS, tvOS and visionOS do not have its C libraries. The sources are symbolic links.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

let applePlatforms: [Platform] = [.iOS, .tvOS, .watchOS, .visionOS, .macOS, .macCatalyst]

let package = Package(
    name: "apps",
    platforms: [.iOS(.v15), .tvOS(.v15), .macOS(.v13), .visionOS(.v1)],
    products: [
        .library(name: "LeakDetector", targets: ["LeakDetector"]),
        .library(name: "LeakDetectorTesting", targets: ["LeakDetectorTesting"]),
        .library(name: "LeakReporter", targets: ["LeakReporter"]),
    ],
    targets: [
        .systemLibrary(name: "CLeakCurl"),
        .systemLibrary(name: "CLeakZlib"),
        .systemLibrary(name: "CLeakLinux"),
        .target(
            name: "LeakPlatform",
            dependencies: [.target(name: "CLeakLinux", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),
        .target(name: "LeakTransport", swiftSettings: settings),
        .target(name: "LeakFoundationTransport", dependencies: ["LeakTransport"], swiftSettings: settings),
        .target(name: "LeakGzip", dependencies: ["CLeakZlib"], swiftSettings: settings),
        .target(
            name: "LeakHTTPClient",
            dependencies: [
                .target(name: "CLeakCurl", condition: .when(platforms: [.linux])),
                .target(name: "LeakFoundationTransport", condition: .when(platforms: applePlatforms)),
                .target(name: "LeakTransport", condition: .when(platforms: applePlatforms)),
            ],
            swiftSettings: settings),
        .target(
            name: "LeakMessage", dependencies: ["LeakPlatform"], swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
        .target(name: "LeakCauses", dependencies: ["LeakMessage"], swiftSettings: settings),
        .target(name: "LeakGrammar", dependencies: ["LeakMessage", "LeakPlatform"], swiftSettings: settings),
        .target(
            name: "LeakDetector", dependencies: ["LeakMessage", "LeakPlatform"], swiftSettings: settings),
        .target(
            name: "LeakDetectorTesting",
            dependencies: ["LeakCauses", "LeakMessage", "LeakGrammar", "LeakPlatform"],
            swiftSettings: settings),
        .target(
            name: "LeakReporter",
            dependencies: [
                "LeakMessage", "LeakGrammar", "LeakGzip", "LeakPlatform", "LeakTransport",
                .target(name: "LeakHTTPClient", condition: .when(platforms: [.linux])),
                .target(name: "LeakFoundationTransport", condition: .when(platforms: applePlatforms)),
            ],
            resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: settings),
        .target(name: "LeakSeededRandom", swiftSettings: settings),
        .testTarget(
            name: "LeakMessageTests", dependencies: ["LeakCauses", "LeakMessage", "LeakSeededRandom"],
            resources: [.copy("Vectors")],
            swiftSettings: settings),
        .testTarget(
            name: "LeakGrammarTests", dependencies: ["LeakGrammar", "LeakMessage", "LeakSeededRandom"],
            resources: [.copy("Vectors")],
            swiftSettings: settings),
        .testTarget(
            name: "LeakDetectorTests",
            dependencies: ["LeakDetector", "LeakMessage", "LeakPlatform", "LeakSeededRandom"],
            swiftSettings: settings),
        .testTarget(
            name: "LeakDetectorUIKitTests", dependencies: ["LeakDetector", "LeakMessage", "LeakPlatform"],
            swiftSettings: settings),
        .testTarget(
            name: "LeakDetectorTestingTests",
            dependencies: ["LeakDetectorTesting", "LeakCauses", "LeakMessage", "LeakPlatform"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
