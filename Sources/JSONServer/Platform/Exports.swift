// The modules of types in public signatures, so that users of the server import one module.

@_exported public import HTTPTypes
@_exported public import JSONServerValues

#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif
