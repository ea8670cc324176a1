// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

// Built by Scripts/fuzz, which knows the flags and sets LEAK_COLLECTOR_DEVELOPMENT: without it leak-collector has no such products.
let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "leak-collector", path: "..")],
    targets: [
        .target(name: "SlowInputDetector", swiftSettings: settings),
        .executableTarget(
            name: "wire-fuzz",
            dependencies: [
                "SlowInputDetector",
                .product(name: "LeakHTTPServer", package: "leak-collector"),
                .product(name: "LeakSeededRandom", package: "leak-collector"),
                .product(name: "LeakGzip", package: "leak-collector"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "wire-seeds", dependencies: [.product(name: "LeakGzip", package: "leak-collector")],
            swiftSettings: settings),
        .executableTarget(
            name: "message-fuzz",
            dependencies: [
                "SlowInputDetector",
                .product(name: "LeakCollector", package: "leak-collector"),
                .product(name: "LeakMessage", package: "leak-collector"),
                .product(name: "LeakGrammar", package: "leak-collector"),
                .product(name: "LeakStore", package: "leak-collector"),
                .product(name: "LeakSentry", package: "leak-collector"),
            ],
            swiftSettings: settings),
        .executableTarget(name: "message-seeds", swiftSettings: settings),
        .executableTarget(
            name: "symbol-fuzz",
            dependencies: [
                "SlowInputDetector",
                .product(name: "LeakCollector", package: "leak-collector"),
                .product(name: "LeakMessage", package: "leak-collector"),
                .product(name: "LeakGrammar", package: "leak-collector"),
                .product(name: "LeakStore", package: "leak-collector"),
                .product(name: "LeakSentry", package: "leak-collector"),
            ],
            swiftSettings: settings),
        .executableTarget(name: "symbol-seeds", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
