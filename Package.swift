// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

/// Where libcurl can be linked. The SDKs of iOS, tvOS and visionOS have none; there the reporter uses `URLSession`.
let curlPlatforms: [Platform] = [.linux, .macOS]
let platformsWithoutCurl: [Platform] = [.iOS, .tvOS, .visionOS, .macCatalyst]

let package = Package(
    name: "leak-collector",
    platforms: [.iOS(.v15), .tvOS(.v15), .macOS(.v13), .visionOS(.v1)],
    products: [
        .library(name: "LeakMessage", targets: ["LeakMessage"]),
        .library(name: "LeakDetector", targets: ["LeakDetector"]),
        .library(name: "LeakDetectorTesting", targets: ["LeakDetectorTesting"]),
        .library(name: "RetainPaths", targets: ["RetainPaths"]),
        .library(name: "LeakReporter", targets: ["LeakReporter"]),
        .library(name: "Gzip", targets: ["Gzip"]),
        .library(name: "HTTPServer", targets: ["HTTPServer"]),
        .library(name: "SentryEnvelope", targets: ["SentryEnvelope"]),
        .library(name: "LeakStore", targets: ["LeakStore"]),
        .library(name: "PostgreSQLStore", targets: ["PostgreSQLStore"]),
        .library(name: "LeakCollector", targets: ["LeakCollector"]),
        .executable(name: "collector", targets: ["collector"]),
        .executable(name: "leak-demo", targets: ["leak-demo"]),
    ],
    traits: [
        .trait(
            name: "PostgreSQL",
            description: "The collector can keep its counts in PostgreSQL, which needs libpq.")
    ],
    targets: [
        // C libraries, each with one Swift module in front of it.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CBrotli", pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CSwiftRuntime"),

        // For apps.
        // Rounding of Double is a call into libm, which nothing here imports that would link it.
        .target(
            name: "LeakMessage", dependencies: ["Threads"], swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
        .target(name: "LeakDetector", dependencies: ["LeakMessage", "Threads"], swiftSettings: settings),
        .target(
            name: "RetainPaths",
            dependencies: [
                "LeakDetector", "LeakMessage", "Threads", "CSwiftRuntime",
                .target(name: "CLinux", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        // For test targets alone: it links the test frameworks.
        .target(
            name: "LeakDetectorTesting",
            dependencies: [
                "LeakMessage", "Threads",
                .target(name: "CSwiftRuntime", condition: .when(platforms: [.linux])),
                .target(name: "RetainPaths", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        .target(
            name: "LeakReporter",
            dependencies: [
                "LeakMessage", "Gzip", "Threads", "ReportTransport",
                .target(name: "CLinux", condition: .when(platforms: [.linux])),
                .target(name: "HTTPClient", condition: .when(platforms: curlPlatforms)),
                .target(name: "FoundationTransport", condition: .when(platforms: platformsWithoutCurl)),
            ],
            resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: settings),
        .target(name: "ReportTransport", swiftSettings: settings),
        .target(name: "FoundationTransport", dependencies: ["ReportTransport"], swiftSettings: settings),
        .target(name: "HTTPClient", dependencies: ["CCurl"], swiftSettings: settings),
        .target(name: "Gzip", dependencies: ["CZlib"], swiftSettings: settings),

        // For both.
        .target(
            name: "Threads", dependencies: [.target(name: "CLinux", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),

        // For the server.
        .target(name: "Brotli", dependencies: ["CBrotli", "Gzip"], swiftSettings: settings),
        .target(
            name: "HTTPServer",
            dependencies: [
                "Threads", "Gzip", "Brotli",
                .target(name: "CLinux", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        .target(name: "SentryEnvelope", dependencies: ["LeakMessage"], swiftSettings: settings),
        .target(name: "LeakStore", dependencies: ["CSQLite", "Threads"], swiftSettings: settings),
        // Empty without its trait, so that nobody needs libpq who does not ask for it.
        .target(
            name: "PostgreSQLStore",
            dependencies: [
                "LeakStore", "Threads",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: settings),
        .target(
            name: "LeakCollector",
            dependencies: [
                "LeakMessage", "SentryEnvelope", "LeakStore", "HTTPServer", "Gzip", "Threads", "CCrypto",
                "CSwiftRuntime",
                .target(name: "PostgreSQLStore", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "collector",
            dependencies: [
                "LeakCollector", "LeakStore", "LeakMessage", "HTTPServer", "HTTPClient", "Gzip", "Threads",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "leak-demo",
            dependencies: [
                "LeakDetector", "LeakReporter", "LeakMessage",
                .target(name: "RetainPaths", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),

        .testTarget(name: "ThreadsTests", dependencies: ["Threads"], swiftSettings: settings),
        .testTarget(name: "GzipTests", dependencies: ["Gzip"], swiftSettings: settings),
        // The other half of libbrotli, for the tests of whatever reads what it writes.
        .systemLibrary(
            name: "CBrotliEncoder", path: "Tests/CBrotliEncoder", pkgConfig: "libbrotlienc",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        .target(
            name: "BrotliEncoding", dependencies: ["CBrotliEncoder"], path: "Tests/BrotliEncoding",
            swiftSettings: settings),
        .testTarget(
            name: "BrotliTests", dependencies: ["Brotli", "BrotliEncoding", "Gzip"], swiftSettings: settings),
        // Requests as files and a client that sends them, for the tests of whatever answers HTTP.
        .target(
            name: "HTTPVectors", dependencies: ["Threads"], path: "Tests/HTTPVectors", swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: ["HTTPServer", "HTTPVectors", "Threads", "Gzip", "Brotli", "BrotliEncoding"],
            exclude: ["Vectors"], swiftSettings: settings),
        .testTarget(
            name: "HTTPClientTests", dependencies: ["HTTPClient", "HTTPServer"], swiftSettings: settings),
        .testTarget(
            name: "LeakMessageTests", dependencies: ["LeakMessage"],
            resources: [.copy("Vectors")], swiftSettings: settings),
        .testTarget(
            name: "LeakDetectorTests", dependencies: ["LeakDetector", "LeakMessage", "Threads"],
            swiftSettings: settings),
        // Object graphs as apps have them, for tests and for tables about builds with other options. Language mode 5, as
        // most apps: mode 6 refuses several of the mistakes that make objects leak.
        .target(
            name: "RetainScenarios",
            dependencies: [
                "RetainPaths", "LeakMessage", .target(name: "CLinux", condition: .when(platforms: [.linux])),
            ],
            path: "Tests/RetainScenarios", swiftSettings: settings + [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "retain-scenarios", dependencies: ["RetainPaths", "RetainScenarios", "LeakMessage"],
            path: "Tests/RetainScenarioRunner", swiftSettings: settings),
        .testTarget(
            name: "RetainPathsTests",
            dependencies: [
                "RetainPaths", "RetainScenarios", "LeakDetector", "LeakMessage", "Threads", "CSwiftRuntime",
                .target(name: "CLinux", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        // Of UIKit itself, on a simulator; elsewhere it is empty.
        .testTarget(
            name: "LeakDetectorUIKitTests", dependencies: ["LeakDetector", "LeakMessage", "Threads"],
            swiftSettings: settings),
        .testTarget(
            name: "LeakDetectorTestingTests",
            dependencies: ["LeakDetectorTesting", "LeakMessage", "Threads"],
            swiftSettings: settings),
        // An app that tests start and kill.
        .executableTarget(
            name: "reporter-app", dependencies: ["LeakReporter", "LeakMessage"], path: "Tests/ReporterApp",
            swiftSettings: settings),
        // Servers and relays that break the rules of HTTP and TCP, for the tests of whatever sends.
        .target(
            name: "FaultyPeers", dependencies: ["Threads"], path: "Tests/FaultyPeers", swiftSettings: settings
        ),
        // A collector inside the process of the tests.
        .target(
            name: "CollectorSupport", dependencies: ["LeakCollector", "LeakStore", "HTTPClient"],
            path: "Tests/CollectorSupport", swiftSettings: settings),
        .testTarget(
            name: "LeakReporterTests",
            dependencies: [
                "LeakReporter", "ReportTransport", "LeakDetector", "LeakMessage", "HTTPServer", "Gzip",
                "RetainPaths", "Threads", "FaultyPeers", "CollectorSupport", "HTTPClient", "reporter-app",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FoundationTransportTests",
            dependencies: [
                "FoundationTransport", "LeakReporter", "ReportTransport", "HTTPServer", "Gzip", "Threads",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SentryEnvelopeTests", dependencies: ["SentryEnvelope", "LeakMessage"],
            resources: [.copy("Envelopes")], swiftSettings: settings),
        .testTarget(
            name: "LeakStoreTests",
            dependencies: [
                "LeakStore", "CSQLite", "Threads",
                .target(name: "PostgreSQLStore", condition: .when(traits: ["PostgreSQL"])),
            ],
            resources: [.copy("Vectors")], swiftSettings: settings),
        .testTarget(
            name: "LeakCollectorTests",
            dependencies: [
                "SentryEnvelope",
                "LeakCollector", "LeakStore", "LeakMessage", "HTTPServer", "HTTPVectors", "HTTPClient",
                "CollectorSupport", "Gzip", "BrotliEncoding", "Threads",
            ],
            resources: [.copy("Vectors")], swiftSettings: settings),
        // The pages in headless Chromium.
        .testTarget(
            name: "BrowserTests",
            dependencies: ["LeakCollector", "LeakStore", "HTTPClient", "CollectorSupport", "Threads"],
            swiftSettings: settings),
        .testTarget(
            name: "collectorTests",
            dependencies: [
                "collector", "LeakCollector", "LeakReporter", "LeakMessage", "LeakStore", "HTTPClient",
                "Gzip", "Threads",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
