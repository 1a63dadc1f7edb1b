// swift-tools-version: 6.2

// A package that uses this one as an app's package does. The CI runs its tests, builds it for each of Apple's systems, and
// runs the tests in an iOS simulator. `./generate PROGRAM` writes two of its sources before each build.

import PackageDescription

// What Xcode sets for a new app.
let app: [SwiftSetting] = [
  .defaultIsolation(MainActor.self),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "Downstream",
  platforms: [.macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .visionOS(.v2), .watchOS(.v11)],
  products: [.library(name: "Downstream", targets: ["Downstream", "Bookmarks", "ShopClient", "ShopApp"])],
  dependencies: [.package(name: "swift-json-server", path: "../..")],
  targets: [
    .target(name: "Downstream"),
    // The app of the tutorial.
    .target(name: "Bookmarks", swiftSettings: app),
    // What `./generate` makes of Fixtures/shop.json, for other modules and for an app.
    .target(name: "ShopClient"),
    .target(name: "ShopApp", swiftSettings: app),
    .testTarget(
      name: "DownstreamTests",
      dependencies: ["Downstream", .product(name: "JSONServerTesting", package: "swift-json-server")]
    ),
    .testTarget(
      name: "BookmarksTests",
      dependencies: ["Bookmarks", .product(name: "JSONServerTesting", package: "swift-json-server")],
      swiftSettings: app
    ),
    .testTarget(
      name: "ShopClientTests",
      dependencies: ["ShopClient", .product(name: "JSONServerTesting", package: "swift-json-server")]
    ),
  ]
)

#if os(Linux)
  // Stands in for the app that a UI test launches.
  package.targets.append(.executableTarget(name: "BookmarksConsole", dependencies: ["Bookmarks"], swiftSettings: app))
  for target in package.targets where target.name == "BookmarksTests" {
    target.dependencies.append("BookmarksConsole")
  }
#endif
