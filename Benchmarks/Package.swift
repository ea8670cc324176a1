// swift-tools-version: 6.2
import PackageDescription

// This package needs products of leak-collector that exist only if the environment variable LEAK_COLLECTOR_DEVELOPMENT is set,
// as in the Makefile.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    traits: [.trait(name: "PostgreSQL", description: "database-bench, which needs libpq.")],
    dependencies: [
        .package(
            name: "leak-collector", path: "..",
            traits: [.trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))])
    ],
    targets: [
        .target(name: "LoadTools"),
        .target(name: "CountedMalloc"),
        .target(name: "HeapUse"),
        .target(
            name: "EchoService", dependencies: [.product(name: "LeakHTTPServer", package: "leak-collector")]),
        .executableTarget(
            name: "http-echo",
            dependencies: ["EchoService", .product(name: "LeakHTTPServer", package: "leak-collector")]),
        .executableTarget(name: "hostile-bench", dependencies: ["LoadTools"]),
        .executableTarget(
            name: "gate-simulation",
            dependencies: [
                .product(name: "LeakSeededRandom", package: "leak-collector"),
                .product(name: "LeakStatistics", package: "leak-collector"),
            ]),
        .executableTarget(
            name: "sample-data",
            dependencies: [
                .product(name: "LeakSampleData", package: "leak-collector"),
                .product(name: "LeakStore", package: "leak-collector"),
                .product(name: "LeakCollector", package: "leak-collector"),
            ]),
        .executableTarget(
            name: "ten-years",
            dependencies: [
                .product(name: "LeakSeededRandom", package: "leak-collector"),
                .product(name: "LeakStatistics", package: "leak-collector"),
                .product(name: "LeakStore", package: "leak-collector"),
                .product(name: "LeakCollector", package: "leak-collector"),
            ]),
        .executableTarget(
            name: "ingest-bench",
            dependencies: ["LoadTools", .product(name: "LeakGzip", package: "leak-collector")]),
        .executableTarget(
            name: "store-bench",
            dependencies: ["LoadTools", .product(name: "LeakStore", package: "leak-collector")]),
        // Needs -enable-testing: pages are not part of the public API of the library.
        .executableTarget(
            name: "page-bench",
            dependencies: [
                "LoadTools", "CountedMalloc", .product(name: "LeakGzip", package: "leak-collector"),
                .product(name: "LeakGrammar", package: "leak-collector"),
                .product(name: "LeakStore", package: "leak-collector"),
                .product(name: "LeakCollector", package: "leak-collector"),
            ]),
        .executableTarget(
            name: "detector-bench",
            dependencies: [
                "HeapUse", .product(name: "LeakDetector", package: "leak-collector"),
                .product(name: "LeakMessage", package: "leak-collector"),
            ]),
        .target(
            name: "ReportLoad",
            dependencies: [
                .product(name: "LeakReporter", package: "leak-collector"),
                .product(name: "LeakMessage", package: "leak-collector"),
            ]),
        .executableTarget(
            name: "reporter-soak",
            dependencies: ["ReportLoad", .product(name: "LeakReporter", package: "leak-collector")]),
        .executableTarget(
            name: "reporter-bench",
            dependencies: [
                "HeapUse", "CountedMalloc", "ReportLoad",
                .product(name: "LeakReporter", package: "leak-collector"),
                .product(name: "LeakMessage", package: "leak-collector"),
            ]),
        // The same program without and with a library: the difference is the size that the library adds to an app.
        .executableTarget(name: "app-plain"),
        .executableTarget(
            name: "app-detecting",
            dependencies: [.product(name: "LeakDetector", package: "leak-collector")]),
        .executableTarget(
            name: "app-reporting",
            dependencies: [.product(name: "LeakReporter", package: "leak-collector")]),
        .executableTarget(
            name: "database-bench",
            dependencies: [
                "LoadTools", .product(name: "LeakStore", package: "leak-collector"),
                .product(
                    name: "LeakPostgreSQL", package: "leak-collector",
                    condition: .when(traits: ["PostgreSQL"])),
            ]),
        .executableTarget(
            name: "http-bench",
            dependencies: [
                "LoadTools", "CountedMalloc", "EchoService",
                .product(name: "LeakHTTPServer", package: "leak-collector"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
