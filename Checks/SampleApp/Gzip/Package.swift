// swift-tools-version: 6.2
import PackageDescription

// A stand-in for a package of another author.

let package = Package(
    name: "Gzip",
    products: [.library(name: "Gzip", targets: ["Gzip"])],
    targets: [.target(name: "Gzip")],
    swiftLanguageModes: [.v6]
)
