// swift-tools-version: 6.2
import PackageDescription

// An app as Checks/sample-app builds it: with two libraries of this package, beside a package that has a module `Gzip`.

let package = Package(
    name: "sample-app",
    platforms: [.iOS(.v15), .tvOS(.v15), .macOS(.v13), .visionOS(.v1)],
    dependencies: [
        .package(name: "leak-collector", path: "../.."),
        .package(path: "Gzip"),
    ],
    targets: [
        .executableTarget(
            name: "SampleApp",
            dependencies: [
                .product(name: "LeakReporter", package: "leak-collector"),
                .product(name: "LeakDetector", package: "leak-collector"),
                .product(name: "Gzip", package: "Gzip"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
