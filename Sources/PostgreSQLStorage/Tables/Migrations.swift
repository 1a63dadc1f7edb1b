#if PostgreSQL
  import JSONStorage

  /// The steps that make the tables, each of which runs once in a database.
  enum Migrations {
    /// The oldest supported server: PostgreSQL 12.
    static let oldestServer = 120_000

    /// The steps, in order, by the names under which the database records them. A released step never changes: another one
    /// changes what it has made.
    private static let steps = [("tables", tables), ("triggers", triggers)]

    private static let tables = """
      -- json keeps the text of a record: the order of members, and the digits of numbers.
      --
      -- A transaction that has locked the row of state has the turn: it is the only write in progress. This row changes only
      -- with the text around the resources, so that an old snapshot, which keeps all versions of a row, slows no write. The
      -- newest row of change has the version. Each row of change names the changed records, whose current content is in
      -- record. Each change has an id, which distinguishes a database from one that replaced it after a failover.

      CREATE TABLE state (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        prefix text NOT NULL,
        suffix text NOT NULL
      );
      INSERT INTO state VALUES (true, '{', E'\\n}\\n');

      CREATE TABLE resource (
        position int PRIMARY KEY,
        name text NOT NULL UNIQUE,
        kind text NOT NULL DEFAULT 'collection' CHECK (kind IN ('collection', 'object')),
        lead text NOT NULL DEFAULT '',
        trail text NOT NULL DEFAULT '',
        tail text NOT NULL DEFAULT E'\\n  ',
        empty_tail text NOT NULL DEFAULT ''
      );

      CREATE TABLE record (
        resource int NOT NULL REFERENCES resource ON DELETE CASCADE,
        slot bigint NOT NULL CHECK (slot >= 0 AND slot < 2147483647),
        body json NOT NULL,
        PRIMARY KEY (resource, slot)
      ) WITH (fillfactor = 90);

      CREATE TABLE change (
        version bigint PRIMARY KEY,
        commit_id text NOT NULL DEFAULT md5(random()::text || clock_timestamp()::text),
        is_whole boolean NOT NULL DEFAULT false,
        has_shared boolean NOT NULL DEFAULT false,
        resources int[] NOT NULL DEFAULT '{}',
        slots bigint[] NOT NULL DEFAULT '{}'
      );
      INSERT INTO change (version) VALUES (0);

      -- The state that servers share besides the data. A row of shared has the version that wrote it; a removed row has no
      -- body. A reset restores the snapshot with an empty name. snapshot_record has no foreign key to snapshot, which would
      -- be checked for each row.

      CREATE TABLE shared (
        kind text NOT NULL,
        name text NOT NULL,
        body json,
        version bigint NOT NULL,
        PRIMARY KEY (kind, name)
      );
      CREATE INDEX shared_version ON shared (version);

      CREATE TABLE counter (
        name text PRIMARY KEY,
        value bigint NOT NULL
      );
      INSERT INTO counter VALUES ('snapshot', 0);

      CREATE TABLE snapshot (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL UNIQUE,
        at timestamptz NOT NULL DEFAULT now(),
        prefix text NOT NULL,
        suffix text NOT NULL,
        resources json NOT NULL
      );

      CREATE TABLE snapshot_record (
        snapshot bigint NOT NULL,
        resource int NOT NULL,
        slot bigint NOT NULL,
        body json NOT NULL,
        PRIMARY KEY (snapshot, resource, slot)
      );
      """

    private static let triggers = """
      -- Triggers run on every write, with the rights of the writer, and record changes that are not recorded yet. A server's
      -- commit has already recorded its change. Names are looked up in the trigger's schema, even if it was renamed, and
      -- last in pg_temp, where anybody can create tables.
      --
      -- A write takes the turn first, as servers do: a write that locked records and waited for the turn would block the
      -- one that has it. Servers also keep the empty slots between records: one mistyped slot would take all their memory.
      -- The check is for a whole statement, so that the order of its rows does not matter. A far version in change would end
      -- all writes.

      CREATE OR REPLACE FUNCTION take_turn() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
      AS $body$
      BEGIN
        PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
        PERFORM FROM state FOR UPDATE;
        RETURN NULL;
      END $body$;

      CREATE OR REPLACE FUNCTION place() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
      AS $body$
      BEGIN
        IF tg_op = 'UPDATE' THEN
          RAISE EXCEPTION 'a record keeps its resource and its slot; delete the record and insert a new one';
        END IF;
        PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
        new.slot := (SELECT coalesce(max(slot) + 1, 0) FROM record WHERE resource = new.resource);
        RETURN new;
      END $body$;

      CREATE OR REPLACE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
      AS $body$
      BEGIN
        PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
        PERFORM FROM change WHERE version >= new.version - 1 LIMIT 1;
        IF NOT FOUND AND EXISTS (SELECT FROM change) THEN
          RAISE EXCEPTION 'version % does not follow the newest one', new.version
            USING HINT = 'Change rows of record; the triggers add the version.';
        END IF;
        RETURN new;
      END $body$;

      CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
      AS $body$
      DECLARE
        own pg_catalog.record;
        far bigint;
        next bigint;
      BEGIN
        PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
        SELECT is_whole, resources, slots INTO own FROM change
          WHERE version = (SELECT max(version) FROM change) AND xmin::text = (txid_current() % 4294967296)::text;
        IF own.is_whole THEN
          RETURN NULL;
        END IF;
        IF tg_nargs > 0 THEN
          INSERT INTO change (version, is_whole) SELECT max(version) + 1, true FROM change RETURNING version INTO next;
        ELSE
          IF NOT EXISTS (SELECT resource, slot FROM touched EXCEPT SELECT * FROM unnest(own.resources, own.slots)) THEN
            RETURN NULL;
          END IF;
          IF tg_op = 'INSERT' THEN
            -- Every slot before a record takes memory on each server, so that a bulk of rows may skip a few slots for each.
            SELECT added.slot INTO far
              FROM (SELECT resource, max(slot) AS slot, count(*) AS count FROM touched GROUP BY resource) AS added
              WHERE added.slot >= 10000 AND added.slot >= 10000 + 4 * added.count + coalesce((
                SELECT slot FROM record WHERE record.resource = added.resource AND NOT EXISTS (
                  SELECT FROM touched WHERE touched.resource = record.resource AND touched.slot = record.slot)
                ORDER BY slot DESC LIMIT 1), 0)
              LIMIT 1;
            IF FOUND THEN
              RAISE EXCEPTION 'slot % is far behind the other records of its resource', far
                USING HINT = 'Leave the slot out to add the record at the end; every slot before a record takes memory on each server.';
            END IF;
          END IF;
          INSERT INTO change (version, resources, slots)
            SELECT (SELECT max(version) + 1 FROM change), array_agg(resource), array_agg(slot) FROM touched
            RETURNING version INTO next;
        END IF;
        PERFORM pg_notify(tg_table_schema, next::text);
        RETURN NULL;
      END $body$;

      -- An older program has made some of them.
      DO $body$
      DECLARE
        old pg_catalog.record;
      BEGIN
        FOR old IN SELECT tgname, tgrelid::regclass AS place FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
          WHERE pronamespace = current_schema()::regnamespace AND proname IN ('take_turn', 'place', 'follow', 'note')
        LOOP
          EXECUTE format('DROP TRIGGER %I ON %s', old.tgname, old.place);
        END LOOP;
      END $body$;

      CREATE TRIGGER take_turn BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON record
        FOR EACH STATEMENT EXECUTE FUNCTION take_turn();
      CREATE TRIGGER take_turn BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON resource
        FOR EACH STATEMENT EXECUTE FUNCTION take_turn();
      CREATE TRIGGER follow BEFORE INSERT ON change FOR EACH ROW EXECUTE FUNCTION follow();
      CREATE TRIGGER place_inserted BEFORE INSERT ON record FOR EACH ROW WHEN (new.slot IS NULL) EXECUTE FUNCTION place();
      CREATE TRIGGER place_updated BEFORE UPDATE ON record FOR EACH ROW
        WHEN (old.resource <> new.resource OR old.slot <> new.slot) EXECUTE FUNCTION place();
      CREATE TRIGGER note_inserted AFTER INSERT ON record REFERENCING NEW TABLE AS touched
        FOR EACH STATEMENT EXECUTE FUNCTION note();
      CREATE TRIGGER note_deleted AFTER DELETE ON record REFERENCING OLD TABLE AS touched
        FOR EACH STATEMENT EXECUTE FUNCTION note();
      CREATE TRIGGER note_updated AFTER UPDATE ON record REFERENCING NEW TABLE AS touched
        FOR EACH STATEMENT EXECUTE FUNCTION note();
      CREATE TRIGGER note_truncated AFTER TRUNCATE ON record FOR EACH STATEMENT EXECUTE FUNCTION note('whole');
      CREATE TRIGGER note_resources AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON resource
        FOR EACH STATEMENT EXECUTE FUNCTION note('whole');
      """

    /// Connects, and creates or updates the tables. Several servers may do so at once.
    ///
    /// - Throws: ``StorageError`` when a newer program made the tables, the server is too old, or the user lacks the right.
    static func connect(_ address: DatabaseAddress) throws(StorageError) -> Connection {
      try refuseTransactionPool(address)
      let connection = try Connection.open(address)
      guard connection.serverVersion >= oldestServer else {
        throw StorageError(
          .invalidDatabase,
          "\(address.description): PostgreSQL \(connection.serverVersion / 10_000) is too old; version 12 or newer is needed."
        )
      }
      var attempt = 1
      while true {
        do throws(StorageError) {
          try connection.transaction { () throws(StorageError) in try migrate(connection) }
          return connection
        } catch {
          // Servers that start together may create the same tables; the second attempt finds them.
          guard attempt < 4, ![.unavailable, .invalidDatabase, .forbidden].contains(error.code) else { throw error }
          attempt += 1
        }
      }
    }

    /// Makes sure that a connection keeps its session: its settings, its prepared statements and its notices.
    ///
    /// A pool gives each client's transaction to any of its own connections. So two clients that are connected at once meet
    /// the same process, and not the one that the pool named when they connected.
    private static func refuseTransactionPool(_ address: DatabaseAddress) throws(StorageError) {
      let one = try Connection(address)
      let process = try one.run("SELECT pg_backend_pid()").integer(0, 0)
      guard process != one.process else { return }
      let other = try Connection(address)
      guard try other.run("SELECT pg_backend_pid()").integer(0, 0) == process else { return }
      throw StorageError(
        .invalidAddress,
        "\(address.description): a pool in front of the database gives each transaction another connection; connect to the database itself, or set pool_mode = session."
      )
    }

    private static func migrate(_ connection: Connection) throws(StorageError) {
      let address = connection.address
      // `IF NOT EXISTS` would need the right to create.
      let found = try connection.run(
        """
        SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1), migration IS NOT NULL,
          EXISTS (SELECT FROM pg_attribute WHERE attrelid = migration AND attname = 'name')
        FROM to_regclass(format('%I.migration', $1::text)) AS migration
        """, [.text(address.schema)])
      if !found.bool(0, 0) { try connection.run("CREATE SCHEMA \"\(address.schema)\"") }
      if !found.bool(0, 1) {
        try connection.run(
          "CREATE TABLE migration (number int PRIMARY KEY, name text UNIQUE, at timestamptz NOT NULL DEFAULT now())")
      } else if !found.bool(0, 2) {
        // An older program has recorded the number alone.
        try connection.run(
          "ALTER TABLE migration ADD COLUMN name text UNIQUE; UPDATE migration SET name = 'tables' WHERE number = 1")
      }
      let rows = try connection.run("SELECT coalesce(name, number::text) FROM migration ORDER BY number", [])
      let done = (0..<rows.count).compactMap { rows.text($0, 0) }
      if let unknown = done.first(where: { name in !steps.contains { $0.0 == name } }) {
        throw StorageError(
          .invalidDatabase,
          "\(address.description): the tables of the schema '\(address.schema)' have the migration '\(unknown)', which this program does not know; install a newer swift-json-server."
        )
      }
      for (index, (name, text)) in steps.enumerated() where !done.contains(name) {
        try connection.run("\(text); INSERT INTO migration (number, name) VALUES (\(index + 1), '\(name)')")
      }
    }
  }
#endif
