import HTTPTypes
import JSONDatabase
import OrderedJSON

extension Engine {
  /// Answers an administrative request.
  func administer(_ route: AdminRoute, _ call: RequestContext) {
    do throws(HTTPError) {
      switch route {
      case .page: finish(call, .page)
      case .asset(let name): finish(call, .asset(name))
      case .openAPI: finish(call, .json(.object(description.openAPI(.open))))
      case .health: finish(call, .json(health))
      case .resources: finish(call, .json(.array(describedResources)))
      case .exchanges(let limit): finish(call, .json(.array(journal.exchanges.suffix(limit).map(\.value))))
      case .forgetExchanges:
        journal.removeAll()
        finish(call, .json([:]))
      case .events(let filter, let lastEventID): finish(call, subscribe(filter, lastEventID: lastEventID))
      case .reset: try restore(initial, call, .json(["reset": true]))
      case .snapshots: finish(call, .json(.array(snapshots.all.map(\.value))))
      case .saveSnapshot(let name):
        let name = snapshots.save(database, named: name, at: System.now)
        finish(call, .json(["name": .string(name)], status: .created))
      case .restoreSnapshot(let name):
        guard let snapshot = snapshots[name] else { throw Self.unknownSnapshot(name) }
        try restore(snapshot.database, call, .json(["restored": .string(name)]))
      case .deleteSnapshot(let name):
        guard snapshots.remove(name) else { throw Self.unknownSnapshot(name) }
        finish(call, .json([:]))
      case .faults: finish(call, .json(.array(faults.all.map { $0.fault.value(id: $0.id) })))
      case .addFault(let fault):
        let id = faults.add(fault)
        finish(call, .json(fault.value(id: id), status: .created))
      case .removeFaults:
        faults.removeAll()
        finish(call, .json([:]))
      case .removeFault(let id):
        guard let number = Int(id), faults.remove(number) else {
          throw HTTPError(.notFound, "There is no fault '\(id)'; GET /__admin/faults lists those there are.")
        }
        finish(call, .json([:]))
      case .settings: finish(call, .json(settings.value))
      case .changeSettings(let change):
        try change.apply(to: &settings, mayWrite: !configuration.isReadOnly)
        finish(call, .json(settings.value))
      case .replaceDatabase(let body): try restore(try parse(body), call, Self.done)
      case .mergeDatabase(let body): try merge(body, call)
      }
    } catch {
      finish(call, error.response())
    }
  }

  private static func unknownSnapshot(_ name: String) -> HTTPError {
    HTTPError(.notFound, "There is no snapshot '\(name)'; GET /__admin/snapshots lists those there are.")
  }

  private var health: JSONValue {
    [
      "status": "ok",
      "version": .string(Server.version),
      "uptime": JSONValue(rounding: (System.uptime - started) / .seconds(1)),
      "resources": .number(JSONNumber(database.resourceNames.count)),
    ]
  }

  private var describedResources: [JSONValue] {
    resources.map { resource in
      [
        "name": .string(resource.name),
        "kind": resource.count == nil ? "object" : "collection",
        "count": .number(JSONNumber(resource.count ?? 1)),
        "idName": .string(resource.idName),
        "url": .string(mountPath + "/" + PercentEncoding.encodeSegment(resource.name)),
      ]
    }
  }
}

extension Snapshots.Snapshot {
  fileprivate var value: JSONValue {
    ["name": .string(name), "time": .string(Timestamp(secondsSince1970: time).rfc3339)]
  }
}

extension Settings {
  fileprivate var value: JSONValue {
    ["delay": JSONValue(rounding: delay / .milliseconds(1)), "readOnly": .bool(isReadOnly)]
  }
}
