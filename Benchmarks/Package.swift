// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "leak-collector", path: "..")],
    targets: [
        .target(name: "LoadTools"),
        .target(name: "CountedMalloc"),
        .target(
            name: "EchoService", dependencies: [.product(name: "HTTPServer", package: "leak-collector")]),
        .executableTarget(
            name: "http-echo",
            dependencies: ["EchoService", .product(name: "HTTPServer", package: "leak-collector")]),
        .executableTarget(name: "hostile-bench", dependencies: ["LoadTools"]),
        .executableTarget(
            name: "ingest-bench",
            dependencies: ["LoadTools", .product(name: "Gzip", package: "leak-collector")]),
        .executableTarget(
            name: "store-bench",
            dependencies: ["LoadTools", .product(name: "LeakStore", package: "leak-collector")]),
        .executableTarget(
            name: "http-bench",
            dependencies: [
                "LoadTools", "CountedMalloc", "EchoService",
                .product(name: "HTTPServer", package: "leak-collector"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
