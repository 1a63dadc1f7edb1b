// The modules of types in public signatures, so that users of the server import one module. Files of this module see
// them, too; only Foundation, whose import depends on the system, is imported nowhere else.

@_exported public import HTTPTypes
@_exported public import JSONServerHTTP
@_exported public import JSONServerRules
@_exported public import JSONServerValues

#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif
