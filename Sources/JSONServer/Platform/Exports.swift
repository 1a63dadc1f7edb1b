// What signatures name, so that whoever embeds a server imports one module.

@_exported public import HTTPTypes
@_exported public import JSONServerValues

#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif
