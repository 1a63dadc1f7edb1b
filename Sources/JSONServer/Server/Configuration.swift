public import JSONServerValues

extension Server {
  /// How a server behaves; every property has the default of the command line.
  public struct Configuration: Sendable {
    /// Which json-server's responses are given where the two differ.
    public enum Dialect: String, Sendable, Hashable, CaseIterable {
      /// json-server 0.17.4's responses, and every spelling of 1.0 that does not contradict them.
      case classic = "v0"
      /// json-server 1.0's responses.
      case v1 = "v1"
    }

    /// When a write counts as done.
    public enum Durability: Sendable, Hashable {
      /// When it survives a power cut.
      case full
      /// When it survives the end of the process.
      case fast
      /// Immediately: the file is never touched.
      case ephemeral
    }

    /// How edits of the file from outside are noticed.
    public enum Watching: Sendable, Hashable {
      /// Not until the next write.
      case off
      /// By the file system's notifications.
      case notifications
      /// By looking every 300 milliseconds, for network mounts.
      case polling
    }

    /// Where the data comes from.
    public var source: Source
    /// The addresses to listen on; empty means both loopback addresses.
    public var hosts: [String] = []
    /// The port to listen on; 0 takes a free one.
    public var port = 0
    /// The certificate and the key with which connections are encrypted; `nil` for plain HTTP.
    public var tlsIdentity: TLSIdentity?
    /// How new the data is that is shown, where other servers write it, too.
    public var reads = Reads.linearizable
    /// When the response to a write is sent.
    public var durability = Durability.full
    /// How edits of the source from outside are noticed.
    public var watching = Watching.off
    /// Whose responses are given where the two json-servers differ.
    public var dialect = Dialect.classic
    /// The member that holds a record's id.
    public var idName = "id"
    /// The members that hold the ids of some resources' records.
    public var idNames: [String: String] = [:]
    /// What a foreign key ends with.
    public var foreignKeySuffix = "Id"
    /// Members that hold lists of ids and are named after their collection, as `tags`, or whose lists lose the ids of
    /// deleted records with json-server 0.17's responses, too, as `tagIds`.
    public var idLists: Set<String> = []
    /// The members that the server fills in the records that clients write.
    public var fills: [Fill] = []
    /// Whether bodies are refused with 422 that contradict the other records of their collection: a member is missing that
    /// all have, is of another kind, or leads to a record that is not there.
    public var checksBodies = false
    /// The members that have another value in each record, such as `users.email`; a body with a value that is taken is
    /// refused with 422.
    public var uniqueMembers: [String] = []
    /// A JSON Schema (draft 2020-12) of all data, by which bodies are refused with 422: `properties` by the names of the
    /// resources, `items` for the records of a collection.
    public var jsonSchema: JSONValue?
    /// How clients sign in, and what they have to sign in for; `nil` for a server that everyone may use.
    public var signIn: SignIn?
    /// Whether clients may have sessions: copies of the data of their own.
    public var hasSessions = false
    /// Whether every change is refused.
    public var isReadOnly = false
    /// The name under which responses hold records and lists, beside the `total` of a list, as `data` in
    /// `{"data": [], "total": 0}`; `nil` for no object around them.
    public var wrapName: String?
    /// How long every response is delayed.
    public var delay = Duration.zero
    /// Which web pages of other origins may read and write.
    public var crossOrigin = CrossOrigin.loopback
    /// Further names by which the server may be addressed, besides localhost, its addresses and its bound names;
    /// `*` for any, which lets a web page reach the server under a name of its own (DNS rebinding).
    public var allowedHosts: [String] = []
    /// Whether responses are compressed for clients that accept it.
    public var compresses = true
    /// Directories whose files are served before resources.
    public var staticDirectories: [String] = []
    /// What static files never show, besides the files that other properties name.
    package var privateFiles: [PrivateFile] = []
    /// Rewrite rules, pattern to target, in the order they are tried.
    public var routes = JSONObject()
    /// Stubs that are in place from the start; the first that matches counts.
    public var stubs: [Stub] = []
    /// A file of stubs, which come after ``stubs``: an array of what is sent to `/__admin/stubs`, or an HTTP archive (HAR),
    /// whose responses are for what nothing else responds to.
    public var stubsFile: String?
    /// Whether a stub of ``stubsFile`` is left out, by its pattern; `nil` for none.
    package var ignoresStub: (@Sendable (RequestPattern) -> Bool)?
    /// Called while a file or a directory is read, for about each MiB, with the number of bytes since the last call;
    /// `nil` when nobody is shown it.
    package var onRead: (@Sendable (Int) -> Void)?
    /// Another server, which is asked for what no resource, stub or other rule of this one responds to; `nil` for none.
    public var upstream: Upstream?
    /// Whether a request that nothing responds to, or with a parameter that nothing understands, is refused with 400 and
    /// kept among ``Server/unexpectedRequests``.
    public var isStrict = false
    /// Called around every request, the first outermost.
    public var middleware: [any Middleware] = []
    /// The path under which the server is mounted elsewhere, such as `/mock`; empty for none.
    public var pathPrefix = ""
    /// Whether `POST /reset` and `POST /merge` work as json-server-reset's do.
    public var hasResetRoutes = false
    /// The deepest nesting of arrays and objects that is accepted, from 4 to 1,000: reading nested values takes a stack
    /// of that many frames.
    public var maximumDepth = 512
    /// What is accepted from a client before it is refused.
    public var limits = Limits()
    /// Whether the journal below `/__admin`, events and the log show secrets as they were sent: credentials in header fields, and
    /// members and parameters whose names say that they are secret. Swift code gets everything as it was sent.
    public var showsSecrets = false
    /// The most exchanges that the journal keeps.
    ///
    /// What is kept displaces what the next response needs from the processor's caches: with a thousand, a GET by id
    /// took 5 to 17 % longer, depending on what else the machine did.
    public var journalCapacity = 100
    /// The most bytes of bodies that the journal keeps.
    public var journalByteCapacity = 32 * 1024 * 1024
    /// Makes the random numbers of text ids and of faults' delays; a test may pass its own.
    public var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    /// Notified of what happens, on the server's event loop; must return immediately.
    public var onEvent: @Sendable (ServerEvent) -> Void = { _ in }

    /// Creates the default configuration for a source.
    public init(source: Source) {
      self.source = source
    }
  }
}

/// Where a server's data comes from, and whether changes go back there.
public enum Source: Sendable {
  /// A JSON file, or a JSON5 file by its suffix; changes are written back.
  case file(String)
  /// A directory of JSON files, one for each resource; each is written back to its own file.
  case directory(String)
  /// A value in memory; its members are the resources, and nothing is written.
  case value(JSONValue)
  /// JSON text in memory, such as the output of a program or a download; nothing is written.
  case text([UInt8], name: String)
  /// A database of PostgreSQL, `postgres://user@host/name`, which other servers may serve, too; changes are written there.
  ///
  /// `?schema=` names the schema with its tables, `json_server` unless it does. An empty database is filled from a file of
  /// JSON, the seed. Needs the package's trait `PostgreSQL`.
  case postgreSQL(url: String, seed: String?)
}

/// How new the data is that a server shows which shares it with others.
public enum Reads: String, Sendable, Hashable, CaseIterable {
  /// It holds every write that any server acknowledged before the request: the database is asked for its version.
  case linearizable
  /// It is this server's own version, usually some milliseconds old, and served without the database, too.
  case local
}

/// Which web pages of other origins may read and write.
public enum CrossOrigin: Sendable, Hashable {
  /// Pages served from this machine, on any port, with credentials.
  case loopback
  /// Pages of these origins, such as `https://app.example` or `https://*.example.com`, with credentials.
  case origins([String])
  /// All pages, without credentials.
  case any
  /// None.
  case none
}
