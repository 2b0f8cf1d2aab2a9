"""The file of the event log: its schema and migrations, its check at the start, and moving aside a file that is no log.

Rows are only ever added. `number` orders them; `at` is the wall time, for people, and nothing depends on it.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from companion.notation import NotationError, parse_record
from companion.rules import RuleError
from companion.timeline import Moment, Record, replay

FILE_NAME = "games.db"
APPLICATION_ID = 0x4D495348  # "MISH"

# The statements at index i bring a file of version i to version i + 1.
MIGRATIONS = (
    (
        f"PRAGMA application_id = {APPLICATION_ID}",
        "CREATE TABLE records (number INTEGER PRIMARY KEY, at TEXT NOT NULL, record TEXT NOT NULL)",
    ),
    (
        "ALTER TABLE records ADD COLUMN colours TEXT NOT NULL DEFAULT ''",
        "CREATE TABLE choices (number INTEGER PRIMARY KEY, at TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL)",
    ),
)

# A card that loses power may spoil the whole block it was writing. Pages as large as a block, and commits padded to
# blocks (no "power-safe overwrite"), keep what is already safe out of the blocks that are written next.
PAGE_BYTES = 4096
OPTIONS = "psow=0"
# A short write-ahead log, reused in place, spares the file system from noting a longer file with every record.
CHECKPOINT_PAGES = 256
BUSY_S = 1.0

# What these say is not about the file's contents, so it is no reason to move the file aside.
OUTER_ERRORS = ("CANTOPEN", "READONLY", "PERM", "FULL", "BUSY", "LOCKED", "NOMEM", "IOERR_SHM", "IOERR_WRITE")


NEWEST_START = "SELECT number FROM records WHERE record LIKE 'start %' ORDER BY number DESC LIMIT 1"

# SQLite's companions of a file, and the file itself last: a renaming cut short leaves a file that is still found unfit.
SUFFIXES = ("-journal", "-shm", "-wal", "")


@dataclass(frozen=True, slots=True)
class Entry:
    """A record with its place in the order, the wall time it was written, and the colours of the dice where known."""

    number: int
    at: str
    record: Record
    colours: tuple[str, ...]


class Unfit(Exception):  # noqa: N818 - a verdict on a file, which the log then acts on
    """A file that is no log of this version; `kind` is one word for its new name."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


def open_checked(path: Path) -> tuple[sqlite3.Connection, Moment | None]:
    """The log's file, made or migrated, and the moment it leads to.

    Raises Unfit when it cannot serve and should be moved aside, sqlite3.Error when the disk or permissions fail.
    """
    is_new = not path.exists()
    moment = checked(path)
    db = _connect(path, OPTIONS)
    try:
        db.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        _migrate(db)
    except BaseException:
        db.close()
        if is_new:  # half made, it would look like a log that lost everything
            for suffix in SUFFIXES:
                _beside(path, suffix).unlink(missing_ok=True)
        raise
    return db, moment


def checked(path: Path) -> Moment | None:
    """The moment a file leads to, read without changing it; Unfit when it is no log, sqlite3.Error for outer causes."""
    if path.is_dir():
        raise Unfit("not-a-log", "it was a folder")
    if not path.exists():
        if _beside(path, "-wal").exists():
            raise Unfit("damaged", "its main file was missing")
        return None
    if path.stat().st_size == 0:
        raise Unfit("empty", "it was empty")
    # Only a change that was cut off leaves a journal, and only a connection that may write can take the change back.
    mode = "rw" if _beside(path, "-journal").exists() else "ro"
    try:
        with contextlib.closing(_connect(path, f"mode={mode}&{OPTIONS}")) as db:
            return replay(last_game(db)) if _version(db) else None
    except sqlite3.Error as error:
        if is_outer(error):
            raise
        kind = "not-a-log" if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB" else "damaged"
        raise Unfit(kind, str(error)) from error
    except (NotationError, RuleError) as error:
        raise Unfit("damaged", str(error)) from error


def set_aside(path: Path, kind: str) -> Path:
    """Renames a file that cannot serve, with what belongs to it, and returns its new path; nothing is deleted."""
    n = 1
    while any((kept := path.with_name(f"{path.stem}.{kind}-{n}{path.suffix}")).parent.glob(f"{kept.name}*")):
        n += 1
    for suffix in SUFFIXES:
        with contextlib.suppress(FileNotFoundError):
            _beside(path, suffix).rename(_beside(kept, suffix))
    return kept


def copy_in_memory(path: Path) -> sqlite3.Connection:
    """A copy of a log for reading, in today's schema; works beside a running game, on old files and read-only disks.

    Raises Unfit when the file is no log, sqlite3.Error when it cannot be opened.
    """
    copy = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for way in ("mode=ro", "immutable=1"):
            with contextlib.suppress(sqlite3.OperationalError):
                with contextlib.closing(_connect(path, way)) as db:
                    db.backup(copy)
                break
        else:
            raise sqlite3.OperationalError(f"unable to open {path}")
        _version(copy)
        _migrate(copy)
    except sqlite3.DatabaseError as error:
        copy.close()
        if is_outer(error) or isinstance(error, sqlite3.OperationalError):
            raise
        raise Unfit("damaged", str(error)) from error
    return copy


def entries(db: sqlite3.Connection) -> Iterator[Entry]:
    """All records in their order; NotationError at one that cannot be read."""
    for number, at, line, colours in db.execute("SELECT number, at, record, colours FROM records ORDER BY number"):
        yield Entry(number, at, parse_record(line), tuple(colours.split(",")) if colours else ())


def last_game(db: sqlite3.Connection) -> Iterator[Record]:
    """The records of the game begun last; NotationError at one that cannot be read."""
    lines = db.execute(f"SELECT record FROM records WHERE number >= ({NEWEST_START}) ORDER BY number")
    return (parse_record(line) for (line,) in lines)


def last_rows(db: sqlite3.Connection) -> list[tuple[str, ...]]:
    """The same as it is stored: the wall time, the line and the colours of each record."""
    rows = f"SELECT at, record, colours FROM records WHERE number >= ({NEWEST_START}) ORDER BY number"
    return db.execute(rows).fetchall()


def is_outer(error: sqlite3.Error) -> bool:
    """Whether an error tells of the disk, permissions or another program, not of the file's contents."""
    name = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_")
    return name == "IOERR" or name.startswith(OUTER_ERRORS)


def _version(db: sqlite3.Connection) -> int:
    """The schema's version, 0 for a new file; Unfit for a damaged, a newer, and another program's database."""
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    application: int = db.execute("PRAGMA application_id").fetchone()[0]
    is_new = version == 0 and db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if application != APPLICATION_ID and not is_new:
        raise Unfit("not-a-log", "it is a database of another program")
    if version > len(MIGRATIONS):
        raise Unfit("newer", f"it is of version {version}, and this program knows up to {len(MIGRATIONS)}")
    verdict: str = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise Unfit("damaged", " ".join(verdict.split()))
    return version


def _migrate(db: sqlite3.Connection) -> None:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    for number, statements in enumerate(MIGRATIONS[version:], start=version + 1):
        db.execute("BEGIN IMMEDIATE")
        for statement in statements:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {number}")
        db.execute("COMMIT")


def _connect(path: Path, options: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?{options}", uri=True, timeout=BUSY_S, isolation_level=None)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
