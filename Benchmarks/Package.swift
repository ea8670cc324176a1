// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "leak-collector", path: "..")],
    targets: [
        .executableTarget(
            name: "http-echo", dependencies: [.product(name: "HTTPServer", package: "leak-collector")]),
        .executableTarget(name: "hostile-bench"),
        .executableTarget(
            name: "ingest-bench", dependencies: [.product(name: "Gzip", package: "leak-collector")]),
    ],
    swiftLanguageModes: [.v6]
)
