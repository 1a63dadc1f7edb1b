// swift-tools-version: 6.2

// A package that uses this one as an app's package does: `.ci/run` runs its tests, and the CI builds it for each of Apple's
// systems, and runs them in an iOS simulator.

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
