// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Bookmarks",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "Bookmarks", targets: ["Bookmarks"])],
  dependencies: [.package(path: "../swift-json-server")],  // or `url:` and a version
  targets: [
    .target(name: "Bookmarks", swiftSettings: [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "BookmarksTests",
      dependencies: ["Bookmarks", .product(name: "JSONServerTesting", package: "swift-json-server")],
      swiftSettings: [.defaultIsolation(MainActor.self)]
    ),
  ]
)
