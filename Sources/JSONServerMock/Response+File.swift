public import HTTPTypes
public import JSONServer

extension Response {
  /// A response with the content of a file; the type follows from the file's name unless the headers have one.
  ///
  /// - Parameters:
  ///   - path: An absolute path; or one from the folder of the source file or, where there is no such file, from the nearest
  ///     folder above it, up to the one with `Package.swift`. A file that cannot be read is an issue where the response is
  ///     used.
  ///   - status: The status.
  ///   - headers: Further header fields.
  ///   - sourcePath: The source file of the call.
  public static func file(
    _ path: String, status: Int = 200, headers: KeyValuePairs<String, String> = [:], sourcePath: String = #filePath
  ) -> Response {
    do throws(MockServerError) {
      let url = try MockData.locate(path, from: sourcePath)
      let type = FileType.contentType(ofFileNamed: url.lastPathComponent)
      return data(try MockData.read(url), type: type, status: status, headers: headers)
    } catch {
      var response = Response.status(500)
      response.problem = error.description
      return response
    }
  }

  /// A response with the content of a file.
  public static func file(
    _ path: String, status: HTTPResponse.Status, headers: KeyValuePairs<String, String> = [:],
    sourcePath: String = #filePath
  ) -> Response { file(path, status: status.code, headers: headers, sourcePath: sourcePath) }
}
