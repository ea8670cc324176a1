// swift-tools-version: 6.2
import PackageDescription

// The libraries for apps and their tests without the collector, whose C libraries the SDKs of iOS, tvOS and visionOS do not
// have: what a simulator can build and test. All of it by symbolic links.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

let package = Package(
    name: "apps",
    platforms: [.iOS(.v15), .tvOS(.v15), .macOS(.v13), .visionOS(.v1)],
    products: [
        .library(name: "LeakMessage", targets: ["LeakMessage"]),
        .library(name: "LeakDetector", targets: ["LeakDetector"]),
        .library(name: "LeakDetectorTesting", targets: ["LeakDetectorTesting"]),
        .library(name: "LeakReporter", targets: ["LeakReporter"]),
    ],
    targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CLinux"),
        .target(
            name: "Threads", dependencies: [.target(name: "CLinux", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),
        .target(name: "ReportTransport", swiftSettings: settings),
        .target(name: "FoundationTransport", dependencies: ["ReportTransport"], swiftSettings: settings),
        .target(name: "Gzip", dependencies: ["CZlib"], swiftSettings: settings),
        .target(name: "HTTPClient", dependencies: ["CCurl"], swiftSettings: settings),
        .target(
            name: "LeakMessage", dependencies: ["Threads"], swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
        .target(name: "LeakDetector", dependencies: ["LeakMessage", "Threads"], swiftSettings: settings),
        .target(
            name: "LeakDetectorTesting", dependencies: ["LeakMessage", "Threads"], swiftSettings: settings),
        .target(
            name: "LeakReporter",
            dependencies: [
                "LeakMessage", "Gzip", "Threads", "ReportTransport",
                .target(name: "HTTPClient", condition: .when(platforms: [.linux, .macOS])),
                .target(
                    name: "FoundationTransport",
                    condition: .when(platforms: [.iOS, .tvOS, .visionOS, .macCatalyst])),
            ],
            resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: settings),
        .testTarget(
            name: "LeakMessageTests", dependencies: ["LeakMessage"], resources: [.copy("Vectors")],
            swiftSettings: settings),
        .testTarget(
            name: "LeakDetectorTests", dependencies: ["LeakDetector", "LeakMessage", "Threads"],
            swiftSettings: settings),
        .testTarget(
            name: "LeakDetectorUIKitTests", dependencies: ["LeakDetector", "LeakMessage", "Threads"],
            swiftSettings: settings),
        .testTarget(
            name: "LeakDetectorTestingTests",
            dependencies: ["LeakDetectorTesting", "LeakMessage", "Threads"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
