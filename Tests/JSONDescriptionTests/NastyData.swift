import JSONServerValues

/// Data whose names are all that a generator of Swift can stumble over.
enum NastyData {
  static let text = #"""
    {
      "posts": [
        {
          "id": 1, "title": "a", "created_date": "2024-01-01T10:00:00Z", "url": "https://a.org/x",
          "author": {"name": "n", "geo": {"lat": 1.5}}, "tags": ["x", "y"], "mixed": 1, "default": true,
          "none": null, "deletedAt": null, "token": "123e4567-e89b-12d3-a456-426614174000"
        },
        {
          "id": 2, "title": "b", "created_date": "2024-01-01T10:00:00.123Z", "url": "https://b.org",
          "author": {"name": "m"}, "tags": [], "mixed": "two", "default": false, "none": null,
          "deletedAt": "2024-05-05T00:00:00+02:00", "token": "123e4567-e89b-12d3-a456-426614174001",
          "extra": [1, "a", {"b": null}]
        }
      ],
      "comments": [
        {
          "id": "a", "postId": 1, "text": "hi", "string": {"x": 1}, "self": 1, "Type": {"String": "s"},
          "init": 2, "hashValue": 3, "class": "c", "a b": 1, "a-b": 2, "aB": 3, "quote\"\\(x)\n": 1,
          "\ud83d\ude00": true, "": 1, "rawValue": 1, "stringValue": "s",
          "items": [{"k": 1}, {"k": 2, "v": "x"}], "matrix": [[1, 2], [3]], "nothing": [], "empty": {},
          "ID": 4, "self.x": 1, "Comment": {"comment": {"comment": 1}}, "_page": 1
        }
      ],
      "children": [
      ],
      "clients": [
        {"id": 1.5, "name": "x"},
        {"id": "y", "name": null}
      ],
      "errors": [
        {"id": 1, "codingKeys": {"a": 1}, "data": {"data": 1}, "date": {"d": "2024-01-01T00:00:00Z"}}
      ],
      "strings": [
        {"name": "no id"}
      ],
      "odd things": [
        {"_id": "q", "id": 3, "a": {"type": "t", "Type": "u", "protocol": 1}}
      ],
      "we{ird}": [
        {"id": 1}
      ],
      "baseURL": [
        {"id": 1}
      ],
      "profile": {"name": "typicode", "since": "2020-01-01", "avatar": null, "id": 7},
      "posts_comment": {"a": 1},
      "urls": {"url": "https://a.org"},
      "patches": [
        {"id": 1, "patch": {"a": 1}, "newRecord": {"b": 1}, "recordID": {"c": 2}, "record": {"d": 1}}
      ],
      "records": [
        {"id": 1}
      ],
      "pages": [
        {"id": 1}
      ],
      "types": [
        {"id": 1}
      ]
    }
    """#

  /// Records whose texts are few enough for an enumeration, and hard to name its cases after.
  static var choices: String {
    let texts = ["default", "self", "IN_A_ROW", "a_b", "a-b", "aB", "allCases", "unknown"]
    let records = (0..<24).map { "{\"id\": \($0), \"kind\": \(JSONValue.string(texts[$0 % texts.count]).text())}" }
    return "{\"tags\": [\(records.joined(separator: ","))]}"
  }

  /// Users who sign in, a status among few, dates with and without a fraction, numbers that a double would spoil.
  static var users: String {
    let states = ["draft", "in_review", "published", "unknown"]
    let posts = (0..<24).map { number in
      let publishedAt = number.isMultiple(of: 2) ? "null" : #""2024-05-01T12:30:00\#(number % 3 == 0 ? ".123" : "")Z""#
      let price = number == 5 ? "9007199254740993" : "\(number).5"
      return """
        {"id": \(number), "title": "Post \(number)", "status": "\(states[number % 4])", "publishedAt": \(publishedAt), \
        "price": \(price), "userId": 1}
        """
    }
    return """
      {
        "users": [{"id": 1, "email": "ada@example.org", "password": "lovelace", "nickname": null}],
        "posts": [\(posts.joined(separator: ","))],
        "profile": {"name": "typicode"}
      }
      """
  }
}
