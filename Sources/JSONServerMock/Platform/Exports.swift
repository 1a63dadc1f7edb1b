// What signatures name, and what the tests of a client send requests with, so that they import one module.

@_exported public import Foundation
@_exported public import JSONServer

#if canImport(FoundationNetworking)
  @_exported public import FoundationNetworking
#endif
