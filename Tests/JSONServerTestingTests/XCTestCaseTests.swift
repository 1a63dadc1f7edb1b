import JSONServerTesting
import XCTest

final class XCTestCaseTests: XCTestCase {
  func testAServerRunsWithinATest() async throws {
    try await withJSONServer("Fixtures/shop.json") { server in
      let response = await server.respond(to: Request(.get, "/products/2"))
      XCTAssertEqual(response.status, .ok)
      try await server.expect(.get("/products/2"), times: 1)
    }
  }

  func testAnUnmetExpectationIsThrown() async throws {
    try await withJSONServer { server in
      do throws(MockServerError) {
        try await server.expect(.get("/products"))
        XCTFail("Nothing was thrown.")
      } catch {
        XCTAssert(error.description.contains("GET /products"), error.description)
      }
    }
  }
}
