// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Compilers do not search Homebrew's directory of libpq. On Linux pkg-config would only warn if libpq is missing.
#if os(macOS)
  let libpq: String? = "libpq"
#else
  let libpq: String? = nil
#endif

// The released executable, which the plugin runs instead of one that it builds. A release names it in the commit that it
// tags; see Packaging/make-release.
let released: (url: String, checksum: String)? = nil

let package = Package(
  name: "swift-json-server",
  platforms: [.macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .visionOS(.v2), .watchOS(.v11)],
  products: [
    .executable(name: "swift-json-server", targets: ["swift-json-server"]),
    .library(name: "JSONServer", targets: ["JSONServer"]),
    .library(name: "JSONServerMock", targets: ["JSONServerMock"]),
    .library(name: "JSONServerTesting", targets: ["JSONServerTesting"]),
    .plugin(name: "JSONServerPlugin", targets: ["JSONServerPlugin"]),
  ],
  traits: [
    .default(enabledTraits: []),
    .trait(name: "HTTPS", description: "The server speaks TLS; off by default, since BoringSSL takes long to compile."),
    .trait(
      name: "PostgreSQL",
      description: "Servers share a PostgreSQL database; off by default, since it needs libpq (apt: libpq-dev)."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
  ],
  targets: [
    .target(
      name: "JSONServerValues",
      dependencies: [.product(name: "OrderedCollections", package: "swift-collections")],
      swiftSettings: settings
    ),
    .target(
      name: "TextMatching",
      dependencies: ["JSONServerValues", .product(name: "OrderedCollections", package: "swift-collections")],
      swiftSettings: settings
    ),
    .target(
      name: "JSONDatabase",
      dependencies: [
        "TextMatching", "JSONServerValues", .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "JSONDescription",
      dependencies: ["JSONServerValues", "CDescription"],
      swiftSettings: settings
    ),
    .target(
      name: "JSONOpenAPI",
      dependencies: ["JSONServerValues", "JSONDatabase", "JSONDescription", "TextMatching"],
      swiftSettings: settings
    ),
    .target(name: "CDescription", exclude: ["Assets"]),
    .target(name: "CPage", exclude: ["Assets"]),
    .target(name: "CStorage"),
    .target(
      name: "JSONStorage",
      dependencies: [
        "JSONServerValues", "JSONDatabase", "CStorage", .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
      ],
      swiftSettings: settings
    ),
    // Without pkg-config, which may find Homebrew's zlib for macOS only. The module map links the library of every
    // system.
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CPostgreSQL", pkgConfig: libpq, providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    // Empty without the trait, so that a clone builds without libpq.
    .target(
      name: "PostgreSQLStorage",
      dependencies: [
        "JSONServerValues", "JSONDatabase", "JSONStorage",
        .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "JSONServerHTTP",
      dependencies: [
        "JSONServerValues", "JSONDatabase", "JSONDescription", "TextMatching", "CPage", "CStorage", "CZlib",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["HTTPS"])),
        .product(name: "NIOTLS", package: "swift-nio", condition: .when(traits: ["HTTPS"])),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "JSONServerRules",
      dependencies: [
        "JSONServerHTTP", "JSONServerValues", "JSONStorage",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "JSONServerResources",
      dependencies: [
        "JSONServerHTTP", "JSONServerValues", "JSONDatabase", "JSONDescription", "JSONOpenAPI", "JSONStorage",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "JSONServer",
      dependencies: [
        "JSONServerRules", "JSONServerResources", "JSONServerHTTP", "JSONServerValues", "JSONDatabase",
        "JSONDescription", "JSONOpenAPI",
        "JSONStorage", "TextMatching", "CStorage",
        .target(name: "PostgreSQLStorage", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "JSONServerRehearsal",
      dependencies: [
        "JSONServer", "JSONDatabase", "JSONDescription", "JSONServerValues",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "JSONServerMock",
      dependencies: ["JSONServer", .product(name: "NIOConcurrencyHelpers", package: "swift-nio")],
      swiftSettings: settings
    ),
    .target(
      name: "JSONServerTesting", dependencies: ["JSONServerMock", "JSONServerRehearsal", "JSONServer"],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "swift-json-server",
      dependencies: [
        "JSONServerRehearsal", "JSONServer", "JSONServerResources", "JSONStorage", "JSONDatabase", "JSONDescription",
        "JSONOpenAPI", "JSONServerValues", "CStorage",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
      ],
      swiftSettings: settings
    ),
    .plugin(
      name: "JSONServerPlugin",
      capability: .command(
        intent: .custom(verb: "json-server", description: "Serve a JSON file as a REST API."),
        permissions: [
          .allowNetworkConnections(scope: .local(), reason: "The server listens on this machine."),
          .writeToPackageDirectory(reason: "Changes are written back to the file that is served."),
        ]),
      path: "Sources/JSONServerPlugin"
    ),
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .target(
      name: "TestSupport",
      dependencies: [
        "CTestSupport", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Tests/TestSupport",
      swiftSettings: settings
    ),
    .testTarget(
      name: "JSONServerValuesTests", dependencies: ["JSONDatabase", "JSONServerValues"], swiftSettings: settings),
    .testTarget(
      name: "TextMatchingTests",
      dependencies: ["TestSupport", "TextMatching", "JSONServerValues"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "JSONDatabaseTests",
      dependencies: ["TestSupport", "JSONDatabase", "TextMatching", "JSONServerValues"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "JSONDescriptionTests",
      dependencies: ["TestSupport", "JSONDescription", "JSONServerValues"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "JSONOpenAPITests",
      dependencies: ["JSONOpenAPI", "JSONDatabase", "JSONServerValues"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "JSONStorageTests",
      dependencies: [
        "TestSupport", "JSONStorage", "JSONDatabase", "JSONServerValues",
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CompatibilityTests",
      dependencies: [
        "swift-json-server", "JSONServer", "JSONServerValues",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "JSONServerTestingTests",
      dependencies: [
        "TestSupport", "JSONServerTesting", "JSONServerMock", "JSONServer", "JSONServerValues",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
      ],
      exclude: ["Fixtures"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "JSONServerHTTPTests",
      dependencies: [
        "TestSupport", "JSONServerHTTP", "JSONDatabase", "JSONServerValues", "CZlib",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["HTTPS"])),
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "JSONServerTests",
      dependencies: [
        "TestSupport", "JSONServerRehearsal", "JSONServer", "JSONServerResources", "JSONServerRules", "JSONServerHTTP",
        "JSONDatabase", "JSONStorage", "JSONServerValues",
        .target(name: "PostgreSQLStorage", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "TestSupport", "swift-json-server", "JSONServer", "JSONServerValues",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
      ],
      swiftSettings: settings
    ),
  ]
)

if let released {
  package.targets.append(
    .binaryTarget(name: "swift-json-server-release", url: released.url, checksum: released.checksum))
  for target in package.targets where target.name == "JSONServerPlugin" {
    target.dependencies = ["swift-json-server-release"]
  }
}

// `.ci/run` builds tests twice, the second time only what traits change: `all`, or targets, and files and folders of targets. With
// line numbers alone for a debugger, tests compile in two thirds of the time.
if let tests = Context.environment["JSON_SERVER_TESTS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { target in
    target.type == .test && !tests.contains { $0 == target.name || $0.hasPrefix("\(target.name)/") || $0 == "all" }
  }
  for target in package.targets where target.type == .test {
    target.swiftSettings?.append(.unsafeFlags(["-gline-tables-only"]))
    let files = tests.filter { $0.hasPrefix("\(target.name)/") }.map { String($0.dropFirst(target.name.count + 1)) }
    if !files.isEmpty { target.sources = files }
  }
}

if Context.environment["JSON_SERVER_BENCHMARKS"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "JSONServer", "JSONDatabase", "JSONServerValues", .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Tests/Benchmarks/Suite",
      swiftSettings: settings
    ))
}

// libFuzzer measures the coverage of these targets; see Tests/Reliability/Fuzz/run. `.ci/run` only compiles the fuzzers.
if let fuzzing = Context.environment["JSON_SERVER_FUZZ"] {
  for target in package.targets
  where fuzzing != "compile"
    && [
      "JSONServerValues", "TextMatching", "JSONDatabase", "JSONServerHTTP", "JSONServerResources", "JSONServer",
    ].contains(target.name)
  {
    target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]))
  }
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/Reliability/Fuzz/CFuzzer"),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "JSONServer", "JSONServerResources", "JSONServerHTTP", "JSONDatabase", "TextMatching", "JSONServerValues",
        "CFuzzer",
      ],
      path: "Tests/Reliability/Fuzz/Targets",
      swiftSettings: settings,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
    ),
  ]
}
