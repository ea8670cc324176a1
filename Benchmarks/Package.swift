// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "leak-collector", path: "..")],
    targets: [
        .target(name: "LoadTools"),
        .executableTarget(
            name: "http-echo", dependencies: [.product(name: "HTTPServer", package: "leak-collector")]),
        .executableTarget(
            name: "ingest-bench",
            dependencies: ["LoadTools", .product(name: "Gzip", package: "leak-collector")]),
        .executableTarget(name: "http-bench", dependencies: ["LoadTools"]),
    ],
    swiftLanguageModes: [.v6]
)
