// The modules of types in public signatures, so that users of the server import one module. `JSONServerHTTP` exports
// HTTPTypes, JSONServerValues and Foundation.

@_exported public import JSONServerHTTP
@_exported public import JSONServerResources
@_exported public import JSONServerRules
