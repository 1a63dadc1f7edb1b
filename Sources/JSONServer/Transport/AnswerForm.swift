/// What a request says about the form of its answer.
struct AnswerForm {
  /// Whether the answer is a head without its body, as to HEAD.
  var isHeadOnly = false
  /// Whether the client speaks HTTP/1.0: no chunks, and the connection is kept only on request.
  var isLegacy = false
  /// Whether the connection is for further requests after this one.
  var keepsConnection = false
  /// Whether the request was refused before it was read to its end, so that the client may still be sending.
  var isRefusal = false
}
