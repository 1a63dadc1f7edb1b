package import JSONServer
import NIOConcurrencyHelpers

/// The recordings that tests replay, and that the first run makes when the environment asks for them.
package enum Recording {
  /// The variable with the address of the API to record.
  static let variable = "JSON_SERVER_RECORD"

  /// The files that this process records, by their paths: several tests may use one.
  private static let files = NIOLockedValueBox<[String: RecordedFile]>([:])

  /// Lets a server replay a recording, or make it. Then no request is expected that the recording lacks.
  ///
  /// - Parameters:
  ///   - path: The path of the recording, which is found as a data file is.
  ///   - environment: The variables of the process.
  /// - Throws: ``MockServerError`` for a recording that is not there, unless the environment asks for it.
  package static func apply(
    _ path: String, from sourcePath: String, to configuration: inout Server.Configuration,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    configuration.isStrict = true
    let new = URL(filePath: path, relativeTo: URL(filePath: sourcePath).deletingLastPathComponent()).absoluteURL.path
    let found = try? MockData.locate(path, from: sourcePath).path
    if let file = files.withLockedValue({ $0[new] }) {
      configuration.upstream = try file.upstream()
    } else if let found, FileManager.default.fileExists(atPath: found) {
      configuration.stubsFile = found
    } else if let address = environment[variable], !address.isEmpty {
      guard !path.hasSuffix(".har") else {
        throw MockServerError("The recording '\(path)' cannot be made: a new one holds stubs; name it '….json'.")
      }
      let file = try files.withLockedValue { files in
        let file = try files[new] ?? RecordedFile(new, of: address)
        files[new] = file
        return file
      }
      configuration.upstream = try file.upstream()
    } else {
      throw MockServerError(
        """
        There is no recording '\(path)' in '\(URL(filePath: new).deletingLastPathComponent().path)'. To record, run this \
        test once with the address of the real API: \(variable)=https://api.example.com
        """)
    }
  }
}

/// A recording that is being made.
private actor RecordedFile {
  private let path: String
  private let address: String
  private let origin: UpstreamAddress
  /// The file's recorder, which makes the file with the first response.
  private var recorder: StubRecorder?
  /// Why responses could not be recorded.
  private nonisolated let problems = NIOLockedValueBox<[String]>([])

  init(_ path: String, of address: String) throws(MockServerError) {
    self.path = path
    self.address = address
    do throws(ServerError) {
      origin = try UpstreamAddress(address)
    } catch {
      throw MockServerError("\(Recording.variable): \(error.message)")
    }
  }

  /// The API whose responses become part of the recording.
  nonisolated func upstream() throws(ServerError) -> Upstream {
    try Upstream(address) { request, address in
      let whole = request.unconditional
      let response = try await whole.sent(to: address)
      try await self.record(whole, response)
      return response
    }
  }

  private func record(_ request: Request, _ response: Response) async throws {
    await (try openRecorder()).record(request, response, from: origin)
    let problems = problems.withLockedValue { $0 }
    guard problems.isEmpty else { throw MockServerError(problems.joined(separator: " ")) }
  }

  private func openRecorder() throws -> StubRecorder {
    if let recorder { return recorder }
    let file = URL(filePath: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("[]\n".utf8).write(to: file, options: .withoutOverwriting)
    let opened = try StubRecorder(path) { [problems] problem in problems.withLockedValue { $0.append(problem) } }
    recorder = opened
    return opened
  }
}
