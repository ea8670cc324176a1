// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

/// Apple's systems, where the reporter sends with `URLSession`. Elsewhere it sends with libcurl.
let applePlatforms: [Platform] = [.iOS, .tvOS, .watchOS, .visionOS, .macOS, .macCatalyst]

/// The products of an app that adds this package: four libraries for apps, and the HTTP server.
var products: [Product] = [
    .library(name: "LeakDetector", targets: ["LeakDetector"]),
    .library(name: "LeakReporter", targets: ["LeakReporter"]),
    .library(name: "RetainPaths", targets: ["RetainPaths"]),
    .library(name: "LeakDetectorTesting", targets: ["LeakDetectorTesting"]),
    .library(name: "LeakHTTPServer", targets: ["LeakHTTPServer"]),
]

// Products for the development of the collector. The Makefile sets the variable. Without it the collector's program still
// builds in this folder, under the name of its target.
if Context.environment["LEAK_COLLECTOR_DEVELOPMENT"] == "1" {
    products += [
        .library(name: "LeakMessage", targets: ["LeakMessage"]),
        .library(name: "LeakGrammar", targets: ["LeakGrammar"]),
        .library(name: "LeakGzip", targets: ["LeakGzip"]),
        .library(name: "LeakSentry", targets: ["LeakSentry"]),
        .library(name: "LeakStatistics", targets: ["LeakStatistics"]),
        .library(name: "LeakStore", targets: ["LeakStore"]),
        .library(name: "LeakPostgreSQL", targets: ["LeakPostgreSQL"]),
        .library(name: "LeakCollector", targets: ["LeakCollector"]),
        .library(name: "LeakSeededRandom", targets: ["LeakSeededRandom"]),
        .library(name: "LeakSampleData", targets: ["LeakSampleData"]),
        .executable(name: "collector", targets: ["leak-collector"]),
        .executable(name: "leak-demo", targets: ["leak-demo"]),
    ]
}

let package = Package(
    name: "leak-collector",
    platforms: [.iOS(.v15), .tvOS(.v15), .macOS(.v13), .visionOS(.v1)],
    products: products,
    traits: [
        .trait(
            name: "PostgreSQL",
            description: "The collector can keep its counts in PostgreSQL, which needs libpq.")
    ],
    targets: [
        // C libraries, each with one Swift module in front of it. None has `pkgConfig`: SwiftPM would pass its flags on to builds
        // of apps for other systems (https://github.com/swiftlang/swift-package-manager/issues/10538). The module maps link.
        .systemLibrary(name: "CLeakCurl"),
        .systemLibrary(name: "CLeakPostgreSQL"),
        .systemLibrary(name: "CLeakSQLite"),
        .systemLibrary(name: "CLeakZlib"),
        .systemLibrary(name: "CLeakBrotli"),
        .systemLibrary(name: "CLeakCrypto"),
        .systemLibrary(name: "CLeakLinux"),
        .systemLibrary(name: "CLeakSwiftRuntime"),

        // For apps.
        // Rounding a Double calls libm, and no module imported here would link it.
        .target(
            name: "LeakMessage", dependencies: ["LeakPlatform"], swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
        // Reads detectors' texts, names of types and call stacks.
        .target(name: "LeakGrammar", dependencies: ["LeakMessage", "LeakPlatform"], swiftSettings: settings),
        // The mistakes that keep objects in memory, recognized by paths.
        .target(name: "LeakCauses", dependencies: ["LeakMessage"], swiftSettings: settings),
        .target(
            name: "LeakDetector", dependencies: ["LeakMessage", "LeakPlatform"], swiftSettings: settings),
        .target(
            name: "RetainPaths",
            dependencies: [
                "LeakCauses", "LeakDetector", "LeakMessage", "LeakPlatform", "CLeakSwiftRuntime",
                .target(name: "CLeakLinux", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        // Only for test targets, because it links the test frameworks.
        .target(
            name: "LeakDetectorTesting",
            dependencies: [
                "LeakCauses", "LeakMessage", "LeakGrammar", "LeakPlatform",
                .target(name: "CLeakSwiftRuntime", condition: .when(platforms: [.linux])),
                .target(name: "RetainPaths", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        .target(
            name: "LeakReporter",
            dependencies: [
                "LeakMessage", "LeakGrammar", "LeakGzip", "LeakPlatform", "LeakTransport",
                .target(name: "CLeakLinux", condition: .when(platforms: [.linux])),
                .target(name: "LeakHTTPClient", condition: .when(platforms: [.linux])),
                .target(name: "LeakFoundationTransport", condition: .when(platforms: applePlatforms)),
            ],
            resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: settings),
        .target(name: "LeakTransport", swiftSettings: settings),
        .target(name: "LeakFoundationTransport", dependencies: ["LeakTransport"], swiftSettings: settings),
        // On Apple's systems only the collector's commands and tests use it.
        .target(
            name: "LeakHTTPClient",
            dependencies: [
                .target(name: "CLeakCurl", condition: .when(platforms: [.linux])),
                .target(name: "LeakFoundationTransport", condition: .when(platforms: applePlatforms)),
                .target(name: "LeakTransport", condition: .when(platforms: applePlatforms)),
            ],
            swiftSettings: settings),
        .target(name: "LeakGzip", dependencies: ["CLeakZlib"], swiftSettings: settings),

        // For both.
        .target(
            name: "LeakPlatform",
            dependencies: [.target(name: "CLeakLinux", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),

        // For the server.
        .target(name: "LeakBrotli", dependencies: ["CLeakBrotli", "LeakGzip"], swiftSettings: settings),
        .target(
            name: "LeakHTTPServer",
            dependencies: [
                "LeakPlatform", "LeakGzip", "LeakBrotli",
                .target(name: "CLeakLinux", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        .target(name: "LeakSentry", dependencies: ["LeakMessage", "LeakGrammar"], swiftSettings: settings),
        .target(name: "LeakStatistics", swiftSettings: settings),
        .target(
            name: "LeakStore", dependencies: ["CLeakSQLite", "LeakGzip", "LeakPlatform", "LeakStatistics"],
            swiftSettings: settings),
        // Empty without its trait, so that libpq is needed only with the trait.
        .target(
            name: "LeakPostgreSQL",
            dependencies: [
                "LeakStore", "LeakPlatform",
                .target(name: "CLeakPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: settings),
        .target(
            name: "LeakCollector",
            dependencies: [
                "LeakCauses", "LeakMessage", "LeakGrammar", "LeakSentry", "LeakStatistics", "LeakStore",
                "LeakHTTPServer", "LeakHTTPClient", "LeakGzip", "LeakPlatform", "CLeakCrypto",
                "CLeakSwiftRuntime",
                .target(name: "LeakPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "leak-collector",
            dependencies: [
                "LeakCollector", "LeakStatistics", "LeakStore", "LeakMessage", "LeakHTTPServer",
                "LeakHTTPClient",
                "LeakGzip", "LeakPlatform",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "leak-demo",
            dependencies: [
                "LeakDetector", "LeakReporter", "LeakMessage", "LeakSampleData", "LeakHTTPClient",
                .target(name: "RetainPaths", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        // Made-up apps for the demo and for the package Benchmarks.
        .target(
            name: "LeakSampleData", dependencies: ["LeakMessage", "LeakSeededRandom"], swiftSettings: settings
        ),

        // Random numbers that are the same in each run, and times that a busy machine does not change.
        .target(name: "LeakSeededRandom", path: "Tests/SeededRandom", swiftSettings: settings),
        // Texts of detectors, with the leak that each is about, for the tests of all modules that read or send them.
        .target(
            name: "LeakDetectorTexts", path: "Tests/LeakDetectorTexts", exclude: ["messages.jsonl"],
            swiftSettings: settings),
        .testTarget(name: "LeakPlatformTests", dependencies: ["LeakPlatform"], swiftSettings: settings),
        .testTarget(name: "LeakGzipTests", dependencies: ["LeakGzip"], swiftSettings: settings),
        // The encoder of libbrotli, for tests of code that reads its output.
        .systemLibrary(name: "CLeakBrotliEncoder", path: "Tests/CLeakBrotliEncoder"),
        .target(
            name: "LeakBrotliEncoding", dependencies: ["CLeakBrotliEncoder"],
            path: "Tests/LeakBrotliEncoding",
            swiftSettings: settings),
        .testTarget(
            name: "LeakBrotliTests", dependencies: ["LeakBrotli", "LeakBrotliEncoding", "LeakGzip"],
            swiftSettings: settings),
        // Requests as files and a client that sends them, for tests of HTTP servers.
        .target(
            name: "LeakHTTPVectors", dependencies: ["LeakPlatform"], path: "Tests/LeakHTTPVectors",
            swiftSettings: settings
        ),
        .testTarget(
            name: "LeakHTTPServerTests",
            dependencies: [
                "LeakSeededRandom", "LeakHTTPServer", "LeakHTTPVectors", "LeakPlatform", "LeakGzip",
                "LeakBrotli",
                "LeakBrotliEncoding",
            ],
            exclude: ["Vectors"], swiftSettings: settings),
        .testTarget(
            name: "LeakHTTPClientTests", dependencies: ["LeakHTTPClient"],
            swiftSettings: settings),
        .testTarget(
            name: "LeakMessageTests", dependencies: ["LeakSeededRandom", "LeakCauses", "LeakMessage"],
            resources: [.copy("Vectors")], swiftSettings: settings),
        .testTarget(
            name: "LeakGrammarTests",
            dependencies: ["LeakSeededRandom", "LeakDetectorTexts", "LeakGrammar", "LeakMessage"],
            swiftSettings: settings),
        .testTarget(
            name: "LeakStatisticsTests", dependencies: ["LeakSeededRandom", "LeakStatistics"],
            resources: [.copy("Vectors")], swiftSettings: settings),
        .testTarget(
            name: "LeakDetectorTests",
            dependencies: ["LeakSeededRandom", "LeakDetector", "LeakMessage", "LeakPlatform"],
            swiftSettings: settings),
        // Object graphs as apps have them, for tests and for tables about builds with other options. Language mode 5, as
        // most apps: mode 6 refuses several of the mistakes that make objects leak.
        .target(
            name: "RetainScenarios",
            dependencies: [
                "LeakSeededRandom", "RetainPaths", "LeakMessage",
                .target(name: "CLeakLinux", condition: .when(platforms: [.linux])),
            ],
            path: "Tests/RetainScenarios", swiftSettings: settings + [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "retain-scenarios", dependencies: ["RetainPaths", "RetainScenarios", "LeakMessage"],
            path: "Tests/RetainScenarioRunner", swiftSettings: settings),
        // The toolchain's own reader of layouts, as a reference for the tests.
        .systemLibrary(name: "CLeakRemoteMirror", path: "Tests/CLeakRemoteMirror"),
        .testTarget(
            name: "RetainPathsTests",
            dependencies: [
                "CLeakRemoteMirror",
                "LeakSeededRandom", "RetainPaths", "RetainScenarios", "LeakCauses", "LeakMessage",
                "LeakGrammar",
                "LeakPlatform",
                "CLeakSwiftRuntime",
                .target(name: "CLeakLinux", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        // Tests of UIKit on a simulator; empty on other platforms.
        .testTarget(
            name: "LeakDetectorUIKitTests", dependencies: ["LeakDetector", "LeakMessage", "LeakPlatform"],
            swiftSettings: settings),
        .testTarget(
            name: "LeakDetectorTestingTests",
            dependencies: ["LeakDetectorTesting", "LeakCauses", "LeakMessage", "LeakPlatform"],
            swiftSettings: settings),
        // An app that tests start and kill.
        .executableTarget(
            name: "leak-reporter-app", dependencies: ["LeakReporter", "LeakMessage"],
            path: "Tests/ReporterApp",
            swiftSettings: settings),
        // Servers and relays that break the rules of HTTP and TCP, for tests of senders.
        .target(
            name: "LeakFaultyPeers", dependencies: ["LeakPlatform"], path: "Tests/LeakFaultyPeers",
            swiftSettings: settings
        ),
        // A collector inside the process of the tests.
        .target(
            name: "LeakCollectorSupport", dependencies: ["LeakCollector", "LeakStore", "LeakHTTPClient"],
            path: "Tests/LeakCollectorSupport", swiftSettings: settings),
        .testTarget(
            name: "LeakReporterTests",
            dependencies: [
                "LeakSeededRandom", "LeakDetectorTexts", "LeakReporter", "LeakTransport", "LeakDetector",
                "LeakMessage", "LeakGrammar",
                "LeakHTTPServer", "LeakGzip",
                "RetainPaths", "LeakPlatform", "LeakFaultyPeers", "LeakCollectorSupport", "LeakHTTPClient",
                "leak-reporter-app",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "LeakFoundationTransportTests",
            dependencies: [
                "LeakFoundationTransport", "LeakReporter", "LeakTransport", "LeakHTTPServer", "LeakGzip",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "LeakSentryTests",
            dependencies: ["LeakSeededRandom", "LeakSentry", "LeakMessage", "LeakGrammar"],
            resources: [.copy("Envelopes")], swiftSettings: settings),
        .testTarget(
            name: "LeakStoreTests",
            dependencies: [
                "LeakSeededRandom", "LeakStatistics", "LeakStore", "CLeakSQLite", "LeakGzip", "LeakPlatform",
                .target(name: "LeakPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            resources: [.copy("Vectors")], swiftSettings: settings),
        .testTarget(
            name: "LeakCollectorTests",
            dependencies: [
                "LeakSeededRandom", "LeakDetectorTexts", "LeakSentry", "LeakStatistics",
                "LeakCollector", "LeakStore", "LeakMessage", "LeakGrammar", "LeakHTTPServer",
                "LeakHTTPVectors", "LeakHTTPClient",
                "LeakCollectorSupport", "LeakGzip", "LeakBrotliEncoding", "LeakPlatform",
            ],
            resources: [.copy("Vectors")], swiftSettings: settings),
        // The pages in headless Chromium.
        .testTarget(
            name: "LeakBrowserTests",
            dependencies: [
                "LeakCollector", "LeakStore", "LeakHTTPClient", "LeakCollectorSupport", "LeakPlatform",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "LeakCollectorCommandTests",
            dependencies: [
                "leak-collector", "LeakCollector", "LeakReporter", "LeakMessage", "LeakStore",
                "LeakHTTPClient",
                "LeakGzip", "LeakPlatform",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// The test targets that a build with a sanitizer runs, separated by spaces. The others would take longer to build than to run.
if let tests = Context.environment["LEAK_COLLECTOR_TESTS"]?.split(separator: " ") {
    package.targets.removeAll { target in target.type == .test && !tests.contains { $0 == target.name } }
}
