// What signatures name, so that a test imports one module.

@_exported public import JSONServerMock
@_exported public import JSONServerRehearsal
@_exported public import Testing
