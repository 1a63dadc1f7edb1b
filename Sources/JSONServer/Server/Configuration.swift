public import JSONServerResources
public import JSONServerValues

extension Server {
  /// The configuration of a server; most defaults are those of the command line.
  public struct Configuration: Sendable {
    /// The json-server version whose responses the server gives.
    public enum Dialect: String, Sendable, Hashable, CaseIterable {
      /// json-server 0.17.4, and the parameters of 1.0 that do not contradict it.
      case classic = "v0"
      /// json-server 1.0.
      case v1 = "v1"
    }

    /// What a write survives when its response is sent.
    public typealias Durability = Persistence.Durability
    /// How the server finds out about edits of the file.
    public typealias Watching = Persistence.Watching

    // MARK: Source and addresses

    /// The source of the data.
    public var source: Source
    /// The addresses to listen on; empty means both loopback addresses.
    public var hosts: [String] = []
    /// The port to listen on; 0 takes a free one.
    public var port = 0
    /// The certificate and the key for HTTPS; `nil` for plain HTTP.
    public var tlsIdentity: TLSIdentity?

    // MARK: Storage

    /// How recent reads are when other servers write the same database.
    public var reads = Reads.linearizable
    /// What a write survives when its response is sent.
    public var durability = Durability.full
    /// Whether the server looks for edits of the source.
    public var watching = Watching.off

    // MARK: Resources

    /// The json-server version whose responses the server gives.
    public var dialect = Dialect.classic
    /// The member that holds a record's id.
    public var idName = "id"
    /// The members that hold ids in resources that do not use ``idName``, by resource.
    public var idNames: [String: String] = [:]
    /// The end of foreign keys.
    public var foreignKeySuffix = "Id"
    /// Members with lists of ids. A name of a collection, such as `tags`, makes that member a list of ids. With a name such
    /// as `tagIds`, the ids of deleted records are removed from the lists also in the dialect of 0.17.
    public var idLists: Set<String> = []

    // MARK: Written bodies

    /// Collections in which `PUT /notes/7` creates the record where none has this id, for clients that make ids themselves;
    /// `*` for all collections.
    public var upserts: [String] = []
    /// The members that the server fills in the records that clients write.
    public var fills: [Fill] = []
    /// Whether the server refuses, with 422, bodies that contradict the other records of their collection: a missing member
    /// that all records have, a value of another type, or a foreign key without a record.
    public var checksBodies = false
    /// Members whose values must be unique, such as `users.email`; the server refuses a body with a taken value with 422.
    public var uniqueMembers: [String] = []
    /// A JSON Schema (draft 2020-12) of all data: `properties` has the resources by name, `items` the records of a
    /// collection. The server refuses invalid bodies with 422.
    public var jsonSchema: JSONValue?

    // MARK: OpenAPI

    /// The file of an OpenAPI document (3.0 or 3.1, YAML or JSON), which says what the server's paths do; `nil` for none.
    ///
    /// A collection of the document that the source lacks begins with the document's examples.
    public var openAPI: String?
    /// Whether the server refuses requests that the OpenAPI document forbids.
    public var checksRequests = true
    /// Whether data that the document forbids is served all the same, since it was there before the document was edited.
    package var toleratesData = false
    /// The document of ``openAPI``, when it is read.
    package var contract: Contract?

    // MARK: Rights and sessions

    /// How clients sign in, and which requests need it; `nil` for a server that everyone may use.
    public var signIn: SignIn?
    /// Whether clients may have sessions, with their own copies of the data.
    public var hasSessions = false
    /// Whether the server refuses every change.
    public var isReadOnly = false

    // MARK: Responses

    /// The member under which responses hold records and lists, such as `data` in `{"data": [], "total": 0}`; `nil` for
    /// responses without such an object.
    public var wrapName: String?
    /// The pages of lists with a cursor for the next one; `nil` for lists as json-server sends them.
    public var cursorPages: CursorPages?
    /// The delay of every response.
    public var delay = Duration.zero
    /// The speed at which all bodies flow, both ways; `nil` for no limit.
    public var bytesPerSecond: Int?
    /// Whether the server compresses responses for clients that accept it.
    public var compresses = true
    /// The time when the server and each of its sessions start, from where it runs on: for the members that ``fills`` fills, the
    /// tokens' expiry and `Date`. `nil` for the clock's.
    public var now: Date?

    // MARK: Web pages

    /// Which web pages of other origins may read and write.
    public var crossOrigin = CrossOrigin.loopback
    /// Names that requests may have as host, in addition to localhost, addresses and bound names; `*` for any name, which
    /// lets a web page reach the server under a name of its own (DNS rebinding).
    public var allowedHosts: [String] = []

    // MARK: Files, routes and rules

    /// Directories whose files are served before resources.
    public var staticDirectories: [String] = []
    /// Files that are never served, in addition to those that other properties name.
    package var privateFiles: [PrivateFile] = []
    /// Rewrite rules, pattern to target, in the order in which they are tried.
    public var routes = JSONObject()
    /// The stubs at the start; the first stub that matches responds.
    public var stubs: [Stub] = []
    /// A file of stubs, which come after ``stubs``: an array of stubs as `/__admin/stubs` takes them, or an HTTP archive
    /// (HAR), whose responses are for requests that nothing else responds to.
    public var stubsFile: String?
    /// Whether to leave out a stub of ``stubsFile`` with this pattern; `nil` to use all.
    package var ignoresStub: (@Sendable (RequestPattern) -> Bool)?
    /// Another server for requests that no resource, stub or other rule of this server responds to; `nil` for none.
    public var upstream: Upstream?
    /// Whether the server refuses unknown paths, methods and parameters with 400, and lists the requests in
    /// ``Server/unexpectedRequests``.
    public var isStrict = false
    /// Called for every request; the first middleware is the outermost.
    public var middleware: [any Middleware] = []
    /// The path under which another server mounts this one, such as `/mock`; empty for none.
    public var pathPrefix = ""
    /// Whether `POST /reset` and `POST /merge` work as in json-server-reset.
    public var hasResetRoutes = false

    // MARK: Limits

    /// The deepest nesting of arrays and objects that the server accepts, from 4 to 512: freeing a nested value takes a part
    /// of the stack for each level, and the smallest stacks, those of static executables for Linux, hold no more.
    public var maximumDepth = 512
    /// The limits of requests and connections.
    public var limits = Limits()

    // MARK: Journal

    /// Whether the journal below `/__admin`, events and the log show secrets: credentials in header fields, and members and
    /// parameters with names of secrets. Swift code always gets the real values.
    public var showsSecrets = false
    /// The largest number of exchanges in the journal.
    ///
    /// A large journal displaces other data from the processor's caches: with a thousand exchanges, a GET by id took 5 to 17 %
    /// longer.
    public var journalCapacity = 100
    /// The largest number of bytes of all requests, responses and events that the server and its sessions keep. With
    /// ``hasSessions``, the server itself keeps at most half of it, and the sessions share the rest.
    public var journalByteCapacity = 32 * 1024 * 1024

    // MARK: Closures of the program

    /// Makes the random numbers of text ids and of delays; tests may pass their own.
    public var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    /// How messages spell the names of Swift's members: as options, when the command started the server.
    package var spellings: [String: String] = [:]
    /// Called while a file or a directory is read, after about each MiB, with the number of bytes since the last call.
    package var onRead: (@Sendable (Int) -> Void)?
    /// Called with each event, on the server's event loop; must return immediately.
    public var onEvent: @Sendable (ServerEvent) -> Void = { _ in }

    /// Creates the default configuration for a source.
    public init(source: Source) {
      self.source = source
    }
  }
}

/// The source of a server's data, and where changes are written.
public enum Source: Sendable {
  /// A JSON file, or a JSON5 file by its extension; changes are written to the file.
  case file(String)
  /// A directory of JSON files, one for each resource; changes are written to the resource's file.
  case directory(String)
  /// A value in memory with the resources as members; changes stay in memory.
  case value(JSONValue)
  /// JSON text in memory, such as the output of a program or a download; changes stay in memory.
  case text([UInt8], name: String)
  /// A PostgreSQL database, `postgres://user@host/name`, which several servers may share; changes are committed to it.
  ///
  /// `?schema=` names the schema of the tables; the default is `json_server`. The seed is a JSON file that fills an empty
  /// database. Needs the package's trait `PostgreSQL`.
  case postgreSQL(url: String, seed: String?)
}

/// How recent the reads of a server are that shares its data with other servers.
public enum Reads: String, Sendable, Hashable, CaseIterable {
  /// A read shows every write that any server acknowledged before the request; the server asks the database for its version.
  case linearizable
  /// A read shows the server's own version, usually some milliseconds old, and also works without the database.
  case local
}
