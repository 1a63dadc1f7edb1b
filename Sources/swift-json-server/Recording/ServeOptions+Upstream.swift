import JSONServer

extension ServeOptions {
  /// What keeps the responses of the server that `--proxy` names, in a file that is made when it is missing.
  ///
  /// - Parameters:
  ///   - previous: The one before a restart, which goes on with the same file: it has that locked.
  ///   - onFailure: Given a sentence when a response could not be kept.
  func recorder(
    _ previous: StubRecorder?, onFailure: @escaping @Sendable (String) -> Void
  ) throws(CommandFailure) -> StubRecorder? {
    guard proxy != nil, let record else { return nil }
    if let previous, previous.path == record { return previous }
    if FileKind(of: record) == .missing, !FileText.create(record, Array("[]\n".utf8)) {
      throw CommandFailure(.cannotCreate, "--record: '\(record)' cannot be created; check its directory.")
    }
    do throws(ServerError) {
      return try StubRecorder(record, onFailure: onFailure)
    } catch {
      throw CommandFailure(.usage, "--record: \(error.message)", excerpt: error.excerpt)
    }
  }

  /// The server that `--proxy` names; `nil` for none.
  func upstream(_ recorder: StubRecorder?) throws(CommandFailure) -> Upstream? {
    guard let proxy else { return nil }
    let curl = Curl(maximumBytes: maxBody?.bytes ?? Limits().maximumBodyBytes)
    do throws(ServerError) {
      let upstream = try UpstreamAddress(proxy)
      return try Upstream(proxy) { request, address in
        guard let recorder else { return try await curl.send(request, to: address) }
        let whole = request.unconditional
        let response = try await curl.send(whole, to: address)
        await recorder.record(whole, response, from: upstream)
        return response
      }
    } catch {
      throw CommandFailure(error)
    }
  }
}
