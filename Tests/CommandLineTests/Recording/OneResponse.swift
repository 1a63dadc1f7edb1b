import Foundation

/// A server that sends one text to its first client, whatever that says, and ends.
struct OneResponse {
  let url: String

  /// `nil`, when no port can be had.
  init?(_ text: String) {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    let listener = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port: UInt16? = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(listener, generic, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, generic, &size) == 0
      } ? UInt16(bigEndian: pointer.pointee.sin_port) : nil
    }
    guard let port else {
      close(listener)
      return nil
    }
    url = "http://127.0.0.1:\(port)"
    Thread.detachNewThread {
      let client = accept(listener, nil, nil)
      var request = [UInt8](repeating: 0, count: 4096)
      _ = read(client, &request, request.count)
      _ = text.utf8.withContiguousStorageIfAvailable { write(client, $0.baseAddress, $0.count) }
      close(client)
      close(listener)
    }
  }
}
