import Foundation
import NIOConcurrencyHelpers
import NIOCore
import TestSupport

@testable import JSONServerHTTP

#if HTTPS
  import NIOSSL
#endif

/// A server's certificate, and clients that trust it.
struct TestSecurity: Sendable {
  /// What all tests of the transport are encrypted with, when the environment asks for it.
  static let ofAllTests: Result<TestSecurity, any Error>? =
    ProcessInfo.processInfo.environment["JSON_SERVER_TESTS_USE_TLS"].map { _ in
      Result { try TestSecurity(certificate: TestCertificate(in: TemporaryDirectory())) }
    }

  let server: TransportSecurity
  let makeClientHandlers: @Sendable () throws -> [any ChannelHandler]

  /// - Parameter report: Is passed what the server reports.
  init(certificate: TestCertificate, report: @escaping @Sendable (String) -> Void = { _ in }) throws {
    server = try TransportSecurity(certificate.identity, report: report)
    #if HTTPS
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(certificate.path))
      let context = try NIOSSLContext(configuration: configuration)
      makeClientHandlers = { [try NIOSSLClientHandler(context: context, serverHostname: "localhost")] }
    #else
      makeClientHandlers = { [] }
    #endif
  }
}

/// What a server has reported.
final class Reports: Sendable {
  private let lines = AsyncStream<String>.makeStream()

  var report: @Sendable (String) -> Void {
    { [lines] in lines.continuation.yield($0) }
  }

  /// Waits for the next report.
  func next() async -> String {
    for await line in lines.stream { return line }
    return ""
  }
}

extension TestCertificate {
  var identity: TLSIdentity { TLSIdentity(certificatePath: path, keyPath: keyPath) }
}
