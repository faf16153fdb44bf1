"""The tables of the team's database, and who may see which of their rows.

Every key begins with the project and no foreign key leaves it, so that rows can be distributed by
project. Row-level security decides by `grants`, in which only the owner of the schema writes.

An index on arrays can't be used below row-level security: PostgreSQL evaluates no operator that may
tell what it sees (all of arrays and `tsvector`) before the policies. So `find` runs as its owner
and asks the grants itself, as do `ask` and `words`. The index has one number for each project and
term, so that a search never touches the rows of a project that the role may not see.
"""

# Each step brings the schema from the version of its place to the next one; none ever changes.
STEPS = (
    """
CREATE TABLE daily_memory.meta (version integer NOT NULL);
INSERT INTO daily_memory.meta VALUES (0);
GRANT SELECT ON daily_memory.meta TO PUBLIC;

CREATE TABLE daily_memory.grants (
    project text COLLATE "C", role text COLLATE "C", can_write boolean NOT NULL DEFAULT false,
    PRIMARY KEY (project, role)
);

-- The projects that the session's role was granted, itself or as a member of another role; of
-- those asked for, or all.
CREATE FUNCTION daily_memory.granted(asked text[] DEFAULT NULL, writing boolean DEFAULT false)
RETURNS text[] LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN RETURN (
    SELECT coalesce(array_agg(DISTINCT project), '{}')
    FROM daily_memory.grants JOIN pg_catalog.pg_roles ON rolname = role
    WHERE pg_has_role(session_user, pg_roles.oid, 'MEMBER') AND (can_write OR NOT writing)
        AND (asked IS NULL OR project = ANY (asked))
);
END $$;

-- A day of one clone of a project, as it was when its rows were pushed.
CREATE TABLE daily_memory.days (
    project text COLLATE "C", author text COLLATE "C" DEFAULT session_user,
    day date, source text COLLATE "C", fingerprint text NOT NULL,
    pushed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project, author, day, source)
);

-- Sessions (`kind` is session) and observations; an `id` begins with its day. `session` and
-- `place` tell what stands side by side. `terms` has each term once, `length` counts all.
CREATE TABLE daily_memory.records (
    project text COLLATE "C", author text COLLATE "C" DEFAULT session_user,
    day date, source text COLLATE "C", session text COLLATE "C", place integer,
    id text COLLATE "C" NOT NULL, checksum bigint NOT NULL, kind text NOT NULL,
    at text NOT NULL, content text NOT NULL, conversation text NOT NULL,
    tool text NOT NULL, origin text NOT NULL,
    files text[] NOT NULL, tags text[] NOT NULL,
    length integer NOT NULL, terms text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (project, author, day, source, session, place),
    FOREIGN KEY (project, author, day, source) REFERENCES daily_memory.days ON DELETE CASCADE
);

CREATE FUNCTION daily_memory.keys(project text, terms text[])
RETURNS integer[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(pg_catalog.hashtext(project || ' ' || term)), '{}')
    FROM unnest(terms) AS term
$$;
CREATE INDEX records_by_terms ON daily_memory.records
    USING gin (daily_memory.keys(project, terms)) WITH (fastupdate = off);

-- In how many records of a project each term is; how many there are, and how long all together.
CREATE TABLE daily_memory.frequencies (
    project text COLLATE "C", term text COLLATE "C", records integer NOT NULL,
    PRIMARY KEY (project, term)
) WITH (fillfactor = 80);
-- A term is in few projects: to ask each project for it took longer than all the rest.
CREATE INDEX frequencies_by_term ON daily_memory.frequencies (term, project) INCLUDE (records);
CREATE TABLE daily_memory.totals (
    project text COLLATE "C" PRIMARY KEY, records bigint NOT NULL, length bigint NOT NULL
);

CREATE FUNCTION daily_memory.count_records()
RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    -- Two writers of a project count one after the other: none waits for the other's terms.
    PERFORM pg_advisory_xact_lock(hashtextextended('daily_memory ' || project, 0))
    FROM (SELECT DISTINCT project FROM changed ORDER BY project) AS touched;
    INSERT INTO daily_memory.totals AS t (project, records, length)
    SELECT project, sign * count(*), sign * sum(length) FROM changed GROUP BY project
    ON CONFLICT (project) DO UPDATE
    SET records = t.records + excluded.records, length = t.length + excluded.length;
    INSERT INTO daily_memory.frequencies AS f (project, term, records)
    SELECT project, term, sign * count(*) FROM changed, unnest(terms) AS term GROUP BY project, term
    ON CONFLICT (project, term) DO UPDATE SET records = f.records + excluded.records;
    IF sign < 0 THEN
        DELETE FROM daily_memory.frequencies AS f
        USING (SELECT DISTINCT project, unnest(terms) AS term FROM changed) AS gone
        WHERE f.project = gone.project AND f.term = gone.term AND f.records <= 0;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER records_added AFTER INSERT ON daily_memory.records
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION daily_memory.count_records();
CREATE TRIGGER records_removed AFTER DELETE ON daily_memory.records
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION daily_memory.count_records();

-- The different terms of these projects in a range, and of a length.
CREATE FUNCTION daily_memory.words(
    projects text[], first text, last text, shortest integer, longest integer
) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT DISTINCT f.term FROM unnest(daily_memory.granted(projects)) AS p (project)
    CROSS JOIN LATERAL (
        SELECT term FROM daily_memory.frequencies AS f
        WHERE f.project = p.project AND f.term >= first AND f.term < last
            AND length(f.term) BETWEEN shortest AND longest OFFSET 0
    ) AS f
$$;

-- The records with most of the terms' weight, as BM25 divides it by their length, and what stands
-- beside the best of them.
CREATE FUNCTION daily_memory.find(
    asked text[], terms text[], weights double precision[], mean double precision, most integer,
    best integer, kinds text[], tools text[], wanted_tags text[], first text, last text
) RETURNS SETOF daily_memory.records
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN RETURN QUERY
    WITH allowed AS MATERIALIZED (
        SELECT project FROM unnest(daily_memory.granted(asked)) AS g (project)
    ), pairs AS MATERIALIZED (
        SELECT f.project, p.weight, hashtext(f.project || ' ' || p.term) AS key
        FROM unnest(terms, weights) AS p (term, weight) CROSS JOIN LATERAL (
            SELECT f.project FROM daily_memory.frequencies AS f WHERE f.term = p.term OFFSET 0
        ) AS f JOIN allowed USING (project)
    ), matches AS MATERIALIZED (
        SELECT r.row, sum(weight / (1.3 + 0.9 * r.length / mean)) AS score
        FROM pairs CROSS JOIN LATERAL (
            SELECT r.ctid AS row, r.length FROM daily_memory.records AS r
            WHERE daily_memory.keys(r.project, r.terms) @> ARRAY[pairs.key]
                -- Not by the key, which would be read for all of the project.
                AND r.project || '' = pairs.project
                AND (kinds = '{}' OR r.kind = ANY (kinds))
                AND (tools = '{}' OR r.tool = ANY (tools))
                AND (wanted_tags = '{}' OR r.tags @> wanted_tags)
                AND (first = '' OR r.at >= first) AND (last = '' OR left(r.at, 10) <= last)
            OFFSET 0
        ) AS r
        GROUP BY r.row ORDER BY score DESC, r.row DESC LIMIT most
    ), near AS (
        SELECT n.row FROM daily_memory.records AS r
        CROSS JOIN LATERAL (VALUES (r.place - 1), (r.place + 1)) AS beside (place)
        CROSS JOIN LATERAL (
            SELECT n.ctid AS row FROM daily_memory.records AS n
            WHERE (n.project, n.author, n.day, n.source, n.session, n.place)
                = (r.project, r.author, r.day, r.source, r.session, beside.place)
            OFFSET 0  -- or the place is no key, and all of each session is read
        ) AS n
        WHERE r.kind <> 'session'
            AND r.ctid = ANY (ARRAY(SELECT row FROM matches ORDER BY score DESC LIMIT best))
    )
    SELECT r.* FROM daily_memory.records AS r
    WHERE r.ctid = ANY (ARRAY(SELECT row FROM matches UNION SELECT row FROM near));
END $$;

-- All that a search has to know before it asks for records, at once.
CREATE FUNCTION daily_memory.ask(asked text[], terms text[])
RETURNS json LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN RETURN (
    WITH allowed AS MATERIALIZED (
        SELECT project FROM unnest(daily_memory.granted(asked)) AS g (project)
    )
    SELECT json_build_object(
        'version', (SELECT version FROM daily_memory.meta),
        'projects', (SELECT coalesce(json_agg(project), '[]') FROM allowed),
        'totals', (
            SELECT json_build_array(coalesce(sum(records), 0), coalesce(sum(length), 0))
            FROM daily_memory.totals JOIN allowed USING (project)
        ),
        'terms', (
            SELECT coalesce(json_object_agg(term, records), '{}') FROM (
                SELECT f.term, sum(f.records) AS records
                FROM unnest(terms) AS t (term) CROSS JOIN LATERAL (
                    SELECT * FROM daily_memory.frequencies AS f WHERE f.term = t.term OFFSET 0
                ) AS f JOIN allowed USING (project)
                GROUP BY f.term
            ) AS known
        )
    )
);
END $$;

GRANT USAGE ON SCHEMA daily_memory TO PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON daily_memory.days TO PUBLIC;
GRANT SELECT, INSERT, DELETE ON daily_memory.records TO PUBLIC;
GRANT SELECT ON daily_memory.frequencies, daily_memory.totals TO PUBLIC;
ALTER TABLE daily_memory.grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE daily_memory.days ENABLE ROW LEVEL SECURITY;
ALTER TABLE daily_memory.records ENABLE ROW LEVEL SECURITY;
ALTER TABLE daily_memory.frequencies ENABLE ROW LEVEL SECURITY;
ALTER TABLE daily_memory.totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY reading ON daily_memory.days FOR SELECT
    USING (project = ANY ((SELECT daily_memory.granted())::text[]));
CREATE POLICY writing ON daily_memory.days USING (
    author = session_user AND project = ANY ((SELECT daily_memory.granted(NULL, true))::text[])
);
CREATE POLICY reading ON daily_memory.records FOR SELECT
    USING (project = ANY ((SELECT daily_memory.granted())::text[]));
CREATE POLICY writing ON daily_memory.records USING (
    author = session_user AND project = ANY ((SELECT daily_memory.granted(NULL, true))::text[])
);
CREATE POLICY reading ON daily_memory.frequencies FOR SELECT
    USING (project = ANY ((SELECT daily_memory.granted())::text[]));
CREATE POLICY reading ON daily_memory.totals FOR SELECT
    USING (project = ANY ((SELECT daily_memory.granted())::text[]));
""",
)

# Where the extension is installed; once it is, `mirror setup` makes up for it. A model has its own
# vectors, and only those of one are compared.
VECTORS = """
DO $do$ BEGIN
    IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')
            AND to_regclass('daily_memory.vectors') IS NULL THEN
        CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
        CREATE TABLE daily_memory.vectors (
            project text COLLATE "C", author text COLLATE "C" DEFAULT session_user,
            day date, source text COLLATE "C", session text COLLATE "C", part integer,
            model text COLLATE "C" NOT NULL, embedding public.vector NOT NULL,
            PRIMARY KEY (project, author, day, source, session, part),
            FOREIGN KEY (project, author, day, source)
                REFERENCES daily_memory.days ON DELETE CASCADE
        );
        GRANT SELECT, INSERT, DELETE ON daily_memory.vectors TO PUBLIC;
        ALTER TABLE daily_memory.vectors ENABLE ROW LEVEL SECURITY;
        CREATE POLICY reading ON daily_memory.vectors FOR SELECT
            USING (project = ANY ((SELECT daily_memory.granted())::text[]));
        CREATE POLICY writing ON daily_memory.vectors USING (
            author = session_user
            AND project = ANY ((SELECT daily_memory.granted(NULL, true))::text[])
        );
    END IF;
END $do$
"""
