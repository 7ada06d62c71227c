"""A PostgreSQL server of the tests' own: on a free port, in a folder that goes with it, never as root."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

from tests.support.ports import free_port

PASSWORD = "planted-pass-4711"
SETTINGS = {
    "fsync": "off",
    "listen_addresses": "127.0.0.1",
    "max_connections": "100",
    # The most talkative server there is: what it logs is searched, too.
    "log_statement": "all",
    "log_min_duration_statement": "0",
    "log_parameter_max_length": "-1",
    "log_parameter_max_length_on_error": "-1",
}


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs: of those on PATH, or where Debian and others put them."""
    found = [Path(name).resolve().parent for name in (shutil.which("initdb"), shutil.which("postgres")) if name]
    for pattern in ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin"):
        found += sorted(Path("/").glob(pattern[1:]), reverse=True)
    return next((folder for folder in found if all((folder / name).exists() for name in ("initdb", "postgres"))), None)


def other_user() -> dict[str, Any]:
    """Return what starts a process as somebody else than root, whom PostgreSQL refuses; empty for others."""
    if os.name != "posix" or os.geteuid() != 0:
        return {}
    import pwd

    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    return {}


def _bytes(path: Path) -> bytes:
    # The server removes files of its own meanwhile.
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


class Server:
    """A running server. Its user `gama` owns the databases and is no superuser."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="gama-postgres-"))
        self.data = self.folder / "data"
        self.log = self.folder / "log"
        self.user = other_user()
        if self.user:
            os.chown(self.folder, self.user["user"], self.user["group"])
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        made = self._call("initdb", "-D", self.data, "-U", "admin", "--auth=scram-sha-256", f"--pwfile={secret}",
                          "--encoding=UTF8", "--locale=C", "--no-sync")  # fmt: skip
        secret.unlink()
        assert made.returncode == 0, made.stderr.decode()
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.start()
        self.run("CREATE ROLE gama LOGIN PASSWORD '" + PASSWORD + "'")

    def start(self) -> None:
        options = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.data, "-p", str(self.port), "-k", self.folder, *options],
                cwd=self.folder, env={"PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                **self.user,
            )  # fmt: skip
        deadline = time.monotonic() + 600
        while True:
            try:
                self.run("SELECT 1")
                return
            except Exception:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.1)

    def stop(self, *, at_once: bool = False) -> None:
        """Stop the server; `at_once` as a crash would."""
        if self.process is not None:
            # Quit is PostgreSQL's immediate shutdown, interrupt its fast one.
            self.process.send_signal(3 if at_once else 2)
            self.process.wait(600)
            self.process = None

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, statement: str, database: str = "postgres") -> list[Any]:
        """Run a statement as the server's administrator."""
        import psycopg

        url = f"postgresql://admin:{PASSWORD}@127.0.0.1:{self.port}/{database}"
        with psycopg.connect(url, autocommit=True, connect_timeout=60) as db:
            cursor = db.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def database(self) -> str:
        """Make a database and return its URL."""
        name = f"t{uuid.uuid4().hex[:12]}"
        self.run(f"CREATE DATABASE {name} OWNER gama")
        return f"postgresql://gama:{PASSWORD}@127.0.0.1:{self.port}/{name}"

    def tables(self, url: str) -> bytes:
        """Return every row of every table of a database: what the disk holds compressed is plain here."""
        name = url.rpartition("/")[2]
        system = "('pg_catalog', 'information_schema')"
        found = self.run(f"SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN {system}", name)
        assert found
        values = [value for s, t in found for row in self.run(f"SELECT * FROM {s}.{t}", name) for value in row]
        return b"\n".join(value if isinstance(value, bytes) else str(value).encode() for value in values)

    def disk(self, part: str = "") -> bytes:
        """Return every byte that the server has on the disk: tables, indexes, write-ahead log, its own log.

        Left out are the databases that are there from the beginning, and what is zero everywhere.
        """
        self.run("CHECKPOINT")
        oids = [str(row[0]) for row in self.run("SELECT oid FROM pg_database WHERE oid < 16384")]
        found = [path for path in sorted((self.folder / part).rglob("*")) if path.is_file()]
        found = [path for path in found if not (path.parent.name in oids and path.parent.parent.name == "base")]
        return b"".join(_bytes(path).rstrip(b"\0") for path in found)

    def _call(self, program: str, *arguments: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [self.programs / program, *map(str, arguments)],
            cwd=self.folder, env={"PATH": "/usr/bin:/bin"}, capture_output=True, timeout=900, check=False, **self.user,
        )  # fmt: skip
