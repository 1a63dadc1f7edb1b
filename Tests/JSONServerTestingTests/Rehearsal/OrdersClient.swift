import Foundation
import JSONServerTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A client of a shop, as an app has one: robust, or with one weakness.
struct OrdersClient: Sendable {
  /// What the client does not survive, by the change that shows it.
  enum Weakness: String, CaseIterable {
    /// The note of an order that has one is not null.
    case null
    /// A note may be null, and is never absent.
    case absent
    /// There are as many states as today.
    case newValue = "new-value"
    /// An order has the members that it has today.
    case newMember = "new-member"
    /// Every item is a book or a film.
    case newKind = "new-kind"
    /// There is a first order.
    case emptyList = "empty-list"
    /// There are at most a hundred orders.
    case longList = "long-list"
    /// Numbers of orders fit 32 bits.
    case longerID = "longer-id"
    /// Customers' ids begin with `c-`.
    case otherID = "other-id"
    /// Dates have no fractions.
    case fraction
    /// Dates end with Z.
    case offset
    /// Totals have no point.
    case number
    /// Images are on one host.
    case url
    /// Names are ASCII.
    case characters
    /// Names fit a field of a database.
    case longText = "long-text"
    /// The id is the first member.
    case order
    /// An error says why in `error`.
    case errorBody = "error-body"
  }

  struct Failure: Error {
    let reason: String
  }

  static let data: JSONValue = [
    "orders": [
      [
        "id": 1, "status": "open", "note": "Ring twice", "tags": ["gift", "express"], "total": 12, "price": 9.5,
        "placedAt": "2026-03-01T23:30:00Z", "customerId": "c-ada", "image": "https://images.example.com/1.png",
        "address": ["city": "London", "zip": "SW1"],
      ],
      [
        "id": 2, "status": "paid", "note": nil, "tags": [], "total": 3, "price": 10.0,
        "placedAt": "2026-03-02T08:00:00Z", "customerId": "c-grace", "image": "https://images.example.com/2.png",
        "address": ["city": "New York", "zip": "10001"],
      ],
      [
        "id": 3, "status": "open", "note": "No hurry", "tags": ["gift"], "total": 7, "price": 1.25,
        "placedAt": "2026-03-03T08:00:00Z", "customerId": "c-ada", "image": "https://images.example.com/3.png",
        "address": ["city": "London", "zip": "SW1"],
      ],
    ],
    "customers": [["id": "c-ada", "name": "Ada Lovelace"], ["id": "c-grace", "name": "Grace Hopper"]],
    "items": [
      ["id": 1, "kind": "book", "title": "On Computable Numbers", "pages": 36, "orderId": 1],
      ["id": 2, "kind": "film", "title": "Hidden Figures", "minutes": 127, "orderId": 1],
    ],
    "shop": ["name": "The Shop", "motto": "All in stock"],
  ]

  let url: URL
  var weakness: Weakness?
  var session = URLSession(configuration: .ephemeral)

  /// Does what a user does: looks at all, opens an order, places one and pays it, and meets an error.
  func run() async throws {
    let orders = try await list("/orders")
    for order in orders { try check(order) }
    if orders.isEmpty, weakness == .emptyList { throw Failure(reason: "There is no first order.") }
    if orders.count > 100, weakness == .longList { throw Failure(reason: "There are too many orders.") }
    let details = try await object("/orders/1?_embed=items")
    try check(details)
    if weakness == .null, details["note"] == JSONValue.null { throw Failure(reason: "The order has no note.") }
    for item in try await list("/items?_expand=order") { try check(item: item) }
    let customers = try await list("/customers")
    for customer in customers { try check(customer: customer) }
    // Each order leads to its customer, however ids look.
    for order in orders.prefix(3) {
      guard let id = order["customerId"]?.string else { continue }
      guard customers.contains(where: { $0["id"]?.string == id }) else { throw Failure(reason: "\(id) is nobody.") }
      _ = try await object("/customers/\(id)")
    }
    _ = try await object("/shop")
    try await placeOrder(of: customers.first?["id"] ?? "c-ada")
    try await meetError()
  }

  private func placeOrder(of customer: JSONValue) async throws {
    let draft: JSONValue = ["status": "open", "total": 5, "customerId": customer]
    let placed = try await object("/orders", method: "POST", body: draft)
    guard let id = placed["id"]?.int ?? placed["id"]?.double.map({ Int($0) }) else {
      throw Failure(reason: "It has no id.")
    }
    let paid = try await object("/orders/\(id)", method: "PATCH", body: ["status": "paid"])
    guard paid["id"] == placed["id"], paid["customerId"] == customer else {
      throw Failure(reason: "That is another order.")
    }
    let found = try await list("/orders?customerId=\(customer.string ?? "")")
    guard found.contains(where: { $0["id"] == placed["id"] }) else { throw Failure(reason: "The order is lost.") }
    var whole = try await object("/orders/\(id)")
    whole["total"] = 6
    let saved = try await object("/orders/\(id)", method: "PUT", body: .object(whole))
    guard saved["total"]?.double == 6 else { throw Failure(reason: "The total is not saved.") }
    _ = try await send("/orders/\(id)", method: "DELETE")
  }

  private func meetError() async throws {
    let (data, status) = try await send("/orders/404000")
    guard status == 404 else { throw Failure(reason: "There is such an order.") }
    if weakness == .errorBody, (try? JSONValue(parsing: data))?["error"] == nil {
      throw Failure(reason: "The error has no reason.")
    }
  }

  // MARK: Weaknesses

  private func check(_ order: JSONObject) throws {
    switch weakness {
    case .absent: if order["note"] == nil { throw Failure(reason: "note is missing.") }
    case .newValue:
      let status = order["status"]?.string ?? ""
      guard ["open", "paid"].contains(status) else { throw Failure(reason: "Unknown status \(status)") }
    case .newMember:
      let known = Set(Self.data["orders"]?[0]?.object?.names ?? []).union(["items"])
      guard known.isSuperset(of: order.names) else { throw Failure(reason: "Unknown members \(order.names)") }
    case .longerID:
      guard order["id"]?.int.flatMap(Int32.init(exactly:)) != nil else { throw Failure(reason: "The id is too large.") }
    case .fraction:
      if order["placedAt"]?.string?.contains(".") == true {
        throw Failure(reason: "Bad date \(order["placedAt"] ?? "")")
      }
    case .offset:
      if order["placedAt"]?.string?.hasSuffix("Z") == false {
        throw Failure(reason: "Bad date \(order["placedAt"] ?? "")")
      }
    case .number:
      if order["total"]?.description.contains(".") == true {
        throw Failure(reason: "Bad number \(order["total"] ?? 0)")
      }
    case .url:
      guard order["image"]?.string?.hasPrefix("https://images.example.com/") ?? true else {
        throw Failure(reason: "Unknown host in \(order["image"] ?? "")")
      }
    case .order: guard order.names.first == "id" else { throw Failure(reason: "The id is not first.") }
    case .null, .newKind, .emptyList, .longList, .otherID, .characters, .longText, .errorBody, nil: break
    }
  }

  private func check(customer: JSONObject) throws {
    let (id, name) = (customer["id"]?.string ?? "", customer["name"]?.string ?? "")
    switch weakness {
    case .otherID where !id.hasPrefix("c-"): throw Failure(reason: "Bad id \(id)")
    case .characters where !name.allSatisfy(\.isASCII): throw Failure(reason: "Bad name \(name)")
    case .longText where name.utf8.count > 255: throw Failure(reason: "The name is too long.")
    default: break
    }
  }

  private func check(item: JSONObject) throws {
    guard weakness == .newKind else { return }
    switch item["kind"]?.string {
    case "book", "film": break
    // As one who has heard of new values, and not of records without members.
    default: guard item["pages"] != nil || item["minutes"] != nil else { throw Failure(reason: "It has no length.") }
    }
  }

  // MARK: Requests

  private func list(_ path: String) async throws -> [JSONObject] {
    guard let list = try JSONValue(parsing: try await send(path).data).array else { throw Failure(reason: "No list") }
    return list.compactMap(\.object)
  }

  private func object(_ path: String, method: String = "GET", body: JSONValue? = nil) async throws -> JSONObject {
    let (data, status) = try await send(path, method: method, body: body)
    guard status < 300, let object = try JSONValue(parsing: data).object else {
      throw Failure(reason: "\(path): \(status)")
    }
    return object
  }

  private func send(_ path: String, method: String = "GET", body: JSONValue? = nil) async throws -> (
    data: Data, status: Int
  ) {
    guard let address = URL(string: url.absoluteString + path) else { throw Failure(reason: "No address: \(path)") }
    var request = URLRequest(url: address)
    request.httpMethod = method
    if let body {
      request.httpBody = Data(body.text().utf8)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    let (data, response) = try await session.data(for: request)
    return (data, (response as? HTTPURLResponse)?.statusCode ?? 0)
  }
}
