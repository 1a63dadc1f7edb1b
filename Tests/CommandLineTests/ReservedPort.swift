import Foundation

/// A port of this machine that no other program gets: whoever connects to it is refused until it is served.
final class ReservedPort: Sendable {
  #if canImport(Darwin)
    private static let kind = SOCK_STREAM
  #else
    private static let kind = Int32(SOCK_STREAM.rawValue)
  #endif

  private let listener: Int32
  let url: String

  /// `nil` when no port can be had.
  init?() {
    let listener = socket(AF_INET, Self.kind, 0)
    self.listener = listener
    guard let port = Self.withAddress(0, { bind(listener, $0, $1) == 0 ? Self.port(of: listener) : nil }) else {
      close(listener)
      return nil
    }
    url = "http://127.0.0.1:\(port)"
  }

  deinit {
    close(listener)
  }

  /// Sends a text to the first client, whatever that says.
  func respond(with text: String) {
    serve { client in
      _ = Self.receive(from: client)
      Self.send(Array(text.utf8), to: client)
    }
  }

  /// Passes the first client's request on to a server, and the response back.
  ///
  /// - Parameter port: The server's port. It closes the connection after its response, or the client does.
  func forward(to port: UInt16) {
    serve { client in
      let server = socket(AF_INET, Self.kind, 0)
      defer { close(server) }
      guard Self.withAddress(port, { connect(server, $0, $1) }) == 0 else { return }
      Self.send(Self.receive(from: client), to: server)
      Self.send(Self.receive(from: server), to: client)
    }
  }

  private func serve(_ body: @escaping @Sendable (_ client: Int32) -> Void) {
    guard listen(listener, 1) == 0 else { return }
    Thread.detachNewThread { [self] in
      let client = accept(listener, nil, nil)
      body(client)
      close(client)
    }
  }

  /// What one read finds: a small request or response, as these programs send it.
  private static func receive(from descriptor: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16_384) { $1 = max(read(descriptor, $0.baseAddress, 16_384), 0) }
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) {
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  /// Calls a function with an address of this machine.
  private static func withAddress<Result>(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func port(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return status == 0 ? UInt16(bigEndian: address.sin_port) : nil
  }
}
