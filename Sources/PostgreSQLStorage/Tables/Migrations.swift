#if PostgreSQL
  /// The tables, in versions: each step makes of one version the next.
  enum Migrations {
    /// The oldest server that is tried: PostgreSQL 12.
    static let oldestServer = 120_000

    /// The steps; a step is never changed once it was released.
    static let steps = [first, commitIDs, simulation, channels, gaps, rights]

    // json keeps the text of a record as it is: the order of members, and numbers digit by digit.
    //
    // One row of `state` is the turn: who changes it has the only write in progress. What a change was about is in
    // `change`; what is there now is in `record`.
    private static let first = """
      CREATE TABLE state (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        version bigint NOT NULL,
        prefix text NOT NULL,
        suffix text NOT NULL
      ) WITH (fillfactor = 10);
      INSERT INTO state VALUES (true, 0, '{', E'\\n}\\n');

      CREATE TABLE resource (
        position int PRIMARY KEY,
        name text NOT NULL UNIQUE,
        kind text NOT NULL DEFAULT 'collection' CHECK (kind IN ('collection', 'object')),
        lead text,
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
        commit_id text,
        is_whole boolean NOT NULL DEFAULT false,
        resources int[] NOT NULL DEFAULT '{}',
        slots bigint[] NOT NULL DEFAULT '{}',
        at timestamptz NOT NULL DEFAULT now()
      );

      -- The turn first, as servers do: who has records and waits for the turn would stop who has the turn.
      CREATE FUNCTION take_turn() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
      AS $body$
      BEGIN
        PERFORM version FROM state FOR UPDATE;
        RETURN NULL;
      END $body$;
      CREATE TRIGGER take_turn BEFORE INSERT OR UPDATE OR DELETE ON record FOR EACH STATEMENT
        WHEN (current_setting('json_server.server', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION take_turn();

      CREATE FUNCTION next_slot() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
      AS $body$
      BEGIN
        new.slot := (SELECT coalesce(max(slot) + 1, 0) FROM record WHERE resource = new.resource);
        RETURN new;
      END $body$;
      CREATE TRIGGER next_slot BEFORE INSERT ON record FOR EACH ROW WHEN (new.slot IS NULL) EXECUTE FUNCTION next_slot();

      CREATE FUNCTION note_records() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
      AS $body$
      DECLARE
        next bigint;
      BEGIN
        IF NOT EXISTS (SELECT FROM touched) THEN
          RETURN NULL;
        END IF;
        UPDATE state SET version = version + 1 RETURNING version INTO next;
        INSERT INTO change (version, resources, slots)
          SELECT next, array_agg(resource), array_agg(slot) FROM touched;
        PERFORM pg_notify('json_server', next::text);
        RETURN NULL;
      END $body$;
      CREATE TRIGGER note_inserted AFTER INSERT ON record REFERENCING NEW TABLE AS touched
        FOR EACH STATEMENT WHEN (current_setting('json_server.server', true) IS DISTINCT FROM 'on')
        EXECUTE FUNCTION note_records();
      CREATE TRIGGER note_deleted AFTER DELETE ON record REFERENCING OLD TABLE AS touched
        FOR EACH STATEMENT WHEN (current_setting('json_server.server', true) IS DISTINCT FROM 'on')
        EXECUTE FUNCTION note_records();
      CREATE TRIGGER note_updated AFTER UPDATE ON record REFERENCING NEW TABLE AS touched
        FOR EACH STATEMENT WHEN (current_setting('json_server.server', true) IS DISTINCT FROM 'on')
        EXECUTE FUNCTION note_records();

      CREATE FUNCTION refuse_moving() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN
        RAISE EXCEPTION 'a record keeps its resource and its slot; delete it and insert it anew';
      END $body$;
      CREATE TRIGGER refuse_moving BEFORE UPDATE ON record FOR EACH ROW
        WHEN (old.resource <> new.resource OR old.slot <> new.slot) EXECUTE FUNCTION refuse_moving();

      CREATE FUNCTION note_whole() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
      AS $body$
      DECLARE
        next bigint;
      BEGIN
        UPDATE state SET version = version + 1 RETURNING version INTO next;
        INSERT INTO change (version, is_whole) VALUES (next, true);
        PERFORM pg_notify('json_server', next::text);
        RETURN NULL;
      END $body$;
      CREATE TRIGGER note_resources AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON resource
        FOR EACH STATEMENT WHEN (current_setting('json_server.server', true) IS DISTINCT FROM 'on')
        EXECUTE FUNCTION note_whole();
      CREATE TRIGGER note_truncated AFTER TRUNCATE ON record
        FOR EACH STATEMENT WHEN (current_setting('json_server.server', true) IS DISTINCT FROM 'on')
        EXECUTE FUNCTION note_whole();
      """

    // Every change has an id, by which a database that took the place of another is told from it.
    private static let commitIDs = """
      ALTER TABLE change ALTER COLUMN commit_id SET DEFAULT md5(random()::text || clock_timestamp()::text);
      UPDATE change SET commit_id = DEFAULT WHERE commit_id IS NULL;
      """

    // Each schema has notices of its own, so that one team's writes do not wake the servers of another.
    private static let channels = """
      DO $body$
      DECLARE
        name text;
      BEGIN
        FOREACH name IN ARRAY ARRAY['note_records', 'note_whole'] LOOP
          EXECUTE replace(
            pg_get_functiondef(name::regproc), 'pg_notify(''json_server'',', 'pg_notify(TG_TABLE_SCHEMA,');
        END LOOP;
      END $body$;
      """

    // Servers keep the places between records, too: one mistyped number would take all their memory. Statements are
    // looked at as a whole, in whatever order they insert.
    private static let gaps = """
      CREATE FUNCTION refuse_gap() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
      AS $body$
      DECLARE
        far bigint;
      BEGIN
        SELECT largest.slot INTO far
          FROM (SELECT resource, max(slot) AS slot FROM touched GROUP BY resource) AS largest
          WHERE largest.slot >= 10000000 AND largest.slot >= 10000000
            + 4 * (SELECT count(*) FROM record WHERE record.resource = largest.resource)
          LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'slot % is far behind the records of its resource', far
            USING HINT = 'Leave the slot out, and the record comes last; each slot up to it takes memory of every server.';
        END IF;
        RETURN NULL;
      END $body$;
      CREATE TRIGGER refuse_gap AFTER INSERT ON record REFERENCING NEW TABLE AS touched
        FOR EACH STATEMENT WHEN (current_setting('json_server.server', true) IS DISTINCT FROM 'on')
        EXECUTE FUNCTION refuse_gap();
      """

    // Triggers run with the rights of whoever writes, always, and record what is not recorded yet: a server's commit has
    // written its change by then. Names are looked up in the trigger's schema, whatever it is called by now, and in pg_temp,
    // where anybody makes tables, last.
    private static let rights = """
      DROP TRIGGER take_turn ON record;
      DROP TRIGGER note_inserted ON record;
      DROP TRIGGER note_deleted ON record;
      DROP TRIGGER note_updated ON record;
      DROP TRIGGER note_truncated ON record;
      DROP TRIGGER note_resources ON resource;
      DROP TRIGGER refuse_gap ON record;
      DROP FUNCTION refuse_gap;

      CREATE OR REPLACE FUNCTION take_turn() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
      AS $body$
      BEGIN
        PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
        PERFORM version FROM state FOR UPDATE;
        RETURN NULL;
      END $body$;

      CREATE OR REPLACE FUNCTION next_slot() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
      AS $body$
      BEGIN
        PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
        new.slot := (SELECT coalesce(max(slot) + 1, 0) FROM record WHERE resource = new.resource);
        RETURN new;
      END $body$;

      CREATE OR REPLACE FUNCTION note_records() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
      AS $body$
      DECLARE
        own pg_catalog.record;
        far bigint;
        next bigint;
      BEGIN
        PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
        IF NOT EXISTS (SELECT FROM touched) THEN
          RETURN NULL;
        END IF;
        SELECT is_whole, resources, slots INTO own FROM change
          WHERE version = (SELECT version FROM state) AND xmin::text = (txid_current() % 4294967296)::text;
        IF FOUND AND (own.is_whole OR NOT EXISTS (
          SELECT resource, slot FROM touched EXCEPT SELECT * FROM unnest(own.resources, own.slots)))
        THEN
          RETURN NULL;
        END IF;
        IF tg_op = 'INSERT' THEN
          SELECT largest.slot INTO far
            FROM (SELECT resource, max(slot) AS slot FROM touched GROUP BY resource) AS largest
            WHERE largest.slot >= 10000000 AND largest.slot >= 10000000
              + 4 * (SELECT count(*) FROM record WHERE record.resource = largest.resource)
            LIMIT 1;
          IF FOUND THEN
            RAISE EXCEPTION 'slot % is far behind the records of its resource', far
              USING HINT = 'Leave the slot out, and the record comes last; each slot up to it takes memory of every server.';
          END IF;
        END IF;
        UPDATE state SET version = version + 1 RETURNING version INTO next;
        INSERT INTO change (version, resources, slots)
          SELECT next, array_agg(resource), array_agg(slot) FROM touched;
        PERFORM pg_notify(tg_table_schema, next::text);
        RETURN NULL;
      END $body$;

      CREATE OR REPLACE FUNCTION note_whole() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
      AS $body$
      DECLARE
        next bigint;
      BEGIN
        PERFORM set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
        IF EXISTS (
          SELECT FROM change WHERE is_whole AND version = (SELECT version FROM state)
            AND xmin::text = (txid_current() % 4294967296)::text)
        THEN
          RETURN NULL;
        END IF;
        UPDATE state SET version = version + 1 RETURNING version INTO next;
        INSERT INTO change (version, is_whole) VALUES (next, true);
        PERFORM pg_notify(tg_table_schema, next::text);
        RETURN NULL;
      END $body$;

      CREATE TRIGGER take_turn BEFORE INSERT OR UPDATE OR DELETE ON record FOR EACH STATEMENT EXECUTE FUNCTION take_turn();
      CREATE TRIGGER note_inserted AFTER INSERT ON record REFERENCING NEW TABLE AS touched
        FOR EACH STATEMENT EXECUTE FUNCTION note_records();
      CREATE TRIGGER note_deleted AFTER DELETE ON record REFERENCING OLD TABLE AS touched
        FOR EACH STATEMENT EXECUTE FUNCTION note_records();
      CREATE TRIGGER note_updated AFTER UPDATE ON record REFERENCING NEW TABLE AS touched
        FOR EACH STATEMENT EXECUTE FUNCTION note_records();
      CREATE TRIGGER note_truncated AFTER TRUNCATE ON record FOR EACH STATEMENT EXECUTE FUNCTION note_whole();
      CREATE TRIGGER note_resources AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON resource
        FOR EACH STATEMENT EXECUTE FUNCTION note_whole();
      """

    /// Makes the tables, or brings them up to date. Several servers may do so at once.
    ///
    /// - Throws: ``DatabaseFailure`` when a newer program made them, the server is too old, or the user may not.
    static func run(on connection: Connection) throws(DatabaseFailure) {
      let address = connection.address
      guard connection.serverVersion >= oldestServer else {
        throw DatabaseFailure(
          .tables,
          "\(address.description): PostgreSQL \(connection.serverVersion / 10_000) is too old; version 12 or newer is needed."
        )
      }
      for attempt in 1... {
        do throws(DatabaseFailure) {
          try migrate(connection)
          return
        } catch {
          // Servers that start together may make the same things; the second try finds them made.
          guard attempt < 5, error.code != .unreachable, error.code != .tables, error.code != .rights else {
            throw error
          }
          if attempt == 4 { throw error }
        }
      }
    }

    private static func migrate(_ connection: Connection) throws(DatabaseFailure) {
      let address = connection.address
      let found = try connection.run(
        "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", [.text(address.schema)]
      ).bool(0, 0)
      do throws(DatabaseFailure) {
        try connection.run("BEGIN")
        if found != true { try connection.run("CREATE SCHEMA \(connection.identifier(address.schema))") }
        // Not `IF NOT EXISTS`: that needs the right to create.
        let hasTable = try connection.run(
          "SELECT to_regclass(format('%I.migration', $1::text)) IS NOT NULL", [.text(address.schema)]
        ).bool(0, 0)
        if hasTable != true {
          try connection.run("CREATE TABLE migration (number int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())")
        }
        let done = try connection.run("SELECT coalesce(max(number), 0)::bigint FROM migration", []).integer(0, 0) ?? 0
        guard done <= steps.count else {
          throw DatabaseFailure(
            .tables,
            "\(address.description): the schema '\(address.schema)' is of version \(done), and this program knows \(steps.count); install a newer swift-json-server."
          )
        }
        for number in steps.indices.dropFirst(done) {
          try connection.run(steps[number])
          try connection.run("INSERT INTO migration VALUES ($1)", [.integer(number + 1)])
        }
        try connection.run("COMMIT")
      } catch {
        if !connection.isLost { _ = try? connection.run("ROLLBACK") }
        throw error
      }
    }
  }

  extension Parameter {
    fileprivate static func integer(_ value: Int) -> Parameter {
      Parameter(bytes: withUnsafeBytes(of: Int32(truncatingIfNeeded: value).bigEndian) { Array($0) })
    }
  }
#endif
