// swift-tools-version: 6.2

// A package that uses this one as an app's package does, on each of Apple's systems: the CI builds it, and runs its tests
// in an iOS simulator.

import PackageDescription

let package = Package(
  name: "Downstream",
  platforms: [.macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .visionOS(.v2), .watchOS(.v11)],
  products: [.library(name: "Downstream", targets: ["Downstream"])],
  dependencies: [.package(name: "swift-json-server", path: "../..")],
  targets: [
    .target(name: "Downstream"),
    .testTarget(
      name: "DownstreamTests",
      dependencies: ["Downstream", .product(name: "JSONServerTesting", package: "swift-json-server")]
    ),
  ]
)
