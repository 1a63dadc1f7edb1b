import JSONDatabase
import JSONStorage
import OrderedJSON

#if PostgreSQL
  import PostgreSQLStorage

  // What is stored, in the words of the engine, and the other way round.

  extension StoredRow {
    init(_ placed: PlacedRow) {
      self.init(resource: placed.resource, slot: placed.slot, text: placed.text)
    }
  }

  extension StoredDatabase {
    init(_ database: Database) {
      let frame = database.frame
      self.init(
        StoredFrame(
          prefix: frame.prefix.string, suffix: frame.suffix.string,
          resources: frame.resources.map { resource in
            StoredResource(
              name: resource.name, isCollection: resource.isCollection, lead: resource.lead.string,
              trail: resource.trail.string, tail: resource.tail.string, emptyTail: resource.emptyTail.string)
          }), rows: database.placedRows.map(StoredRow.init))
    }
  }

  extension LoadedDatabase {
    /// - Throws: ``ServerError`` that says what is no resource.
    func database(schema: Schema, at address: DatabaseAddress) throws(ServerError) -> Database {
      var assembler = DatabaseAssembler(
        DatabaseFrame(
          prefix: UTF8Slice(frame.prefix), suffix: UTF8Slice(frame.suffix),
          resources: frame.resources.map { resource in
            DatabaseFrame.Resource(
              name: resource.name, isCollection: resource.isCollection, lead: UTF8Slice(resource.lead ?? ""),
              trail: UTF8Slice(resource.trail), tail: UTF8Slice(resource.tail), emptyTail: UTF8Slice(resource.emptyTail)
            )
          }), size: text.count)
      var start = 0
      for row in rows {
        assembler.append(resource: Int(row.resource), slot: Int(row.slot), text[start..<row.end])
        start = row.end
      }
      do throws(LoadError) {
        return try assembler.database(schema: schema)
      } catch {
        throw ServerError(
          .sourceInvalid,
          "\(address.description): the tables of the schema '\(address.schema)' hold what cannot be served: \(error.message)"
        )
      }
    }
  }

  extension LoadedSource {
    /// - Throws: ``ServerError`` when everything was read again, and cannot be served.
    init(_ writes: ForeignWrites, schema: Schema, at address: DatabaseAddress) throws(ServerError) {
      switch writes.changes {
      case .rows(let rows, let simulation):
        let placed = rows.map { PlacedRow(resource: $0.resource, slot: $0.slot, text: $0.text) }
        self.init(
          .rows(placed, since: writes.since), generation: writes.version, shared: simulation.map(SharedState.init),
          commitID: writes.commitID)
      case .whole(let loaded):
        self.init(
          .whole(try loaded.database(schema: schema, at: address)), generation: writes.version,
          shared: SharedState(loaded.simulation), commitID: writes.commitID)
      }
    }
  }

  // MARK: Errors

  extension ServerError {
    init(_ failure: DatabaseFailure) {
      let code: Code =
        switch failure.code {
        case .address: .invalidConfiguration
        case .tables: .sourceInvalid
        case .unreachable, .rights, .conflict, .noSpace, .refused: .sourceUnreadable
        }
      self.init(code, failure.message)
    }
  }

  extension StorageError {
    init(_ failure: DatabaseFailure) {
      let code: Code = failure.isUnsettled ? .durabilityUnknown : failure.code == .noSpace ? .noSpace : .unavailable
      self.init(code, failure.message)
    }
  }
#endif
