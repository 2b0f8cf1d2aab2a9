"""The event log: every record is on disk before the screen shows it, so a game goes on where a cut ended it.

    log = Log.open(state_dir)
    moment = log.moment()          # where the last game stood, None if there was none
    log.append(Rolled((1, 2, 2, 3, 4, 6)))

While the disk is full or read-only the game plays on from memory, `trouble` says so, and what waits is written as soon
as there is room. A game that ends properly on a full disk is written into room that was kept back for that. When the
file is damaged, deleted or replaced while it is open, the whole game is written again, into a new one.
"""

import contextlib
import fcntl
import logging
import os
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from companion.log_file import FILE_NAME, Unfit, checked, is_outer, last_rows, open_checked, set_aside
from companion.notation import format_record
from companion.timeline import Moment, Record, Started, follow

ADD_RECORD = "INSERT INTO records (at, record, colours) VALUES (?, ?, ?)"
ADD_CHOICE = "INSERT INTO choices (at, name, value) VALUES (?, ?, ?)"
NEWEST_CHOICES = "SELECT name, value FROM choices ORDER BY number"

LOCK_NAME = "lock"
RESERVE_NAME = "reserve"
RESERVE_BYTES = 512 * 1024

logger = logging.getLogger("mishimash")


class LogError(Exception):
    """The log cannot be kept in this folder; the text is one sentence that says why and what to do."""


class Log:
    """The log of one state folder, held by one process; made by `Log.open`.

    `notice` says what happened to the file last, if anything did; `trouble` why records wait in memory now. The journal
    is told of both.
    """

    def __init__(self, state_dir: Path, lock: int) -> None:
        self.notice: str | None = None
        self.trouble: str | None = None
        self._state_dir = state_dir
        self._lock = lock
        self._db: sqlite3.Connection | None = None
        self._file: os.stat_result | None = None  # what `_db` is open on
        self._is_changed = False
        self._moment: Moment | None = None
        self._choices: dict[str, str] = {}
        self._rows: list[tuple[str, ...]] = []  # of the last game, and of one before it that is not all on disk
        self._waiting: list[tuple[str, tuple[str, ...]]] = []

    @classmethod
    def open(cls, state_dir: Path) -> "Log":
        """The log of a folder, which is made if need be; LogError says why it cannot be kept there."""
        log = cls(state_dir, _locked(state_dir))
        try:
            log._open()
        except BaseException:
            os.close(log._lock)
            raise
        return log

    def append(self, record: Record, colours: Sequence[str] = ()) -> Moment:
        """The moment after a record, which is on disk when this returns or waits in memory when `trouble` says so.

        `colours` are those of a roll's dice in the order of its faces, "" for one that is not known. RuleError when the
        record cannot follow; then nothing is written.
        """
        moment = follow(self._moment, record)
        if isinstance(record, Started) and not self._waiting:
            self._rows.clear()
        row = (_now(), format_record(record), ",".join(colours) if any(colours) else "")
        self._rows.append(row)
        self._waiting.append((ADD_RECORD, row))
        self.flush()
        self._moment = moment
        return moment

    def moment(self) -> Moment | None:
        """The moment that the records of the last game lead to, None when no game was ever begun."""
        return self._moment

    def choose(self, name: str, value: str) -> None:
        """Remembers a choice of the menu, such as the language."""
        if self._choices.get(name) != value:
            self._choices[name] = value
            self._waiting.append((ADD_CHOICE, (_now(), name, value)))
            self.flush()

    def choices(self) -> dict[str, str]:
        """The choices made last, by name."""
        return dict(self._choices)

    @property
    def unsaved(self) -> int:
        """How many records and choices wait in memory."""
        return len(self._waiting)

    def flush(self) -> bool:
        """Tries to write what waits in memory, and returns whether all of it is on disk."""
        db = self._db if self._is_in_place() else None
        if db is not None and not self._waiting:
            return True
        try:
            self._write_waiting(db or self._look_again())
        except (sqlite3.Error, OSError, Unfit) as error:
            if not self.trouble:
                logger.warning("the game log waits in memory: %s", error)
            what = f"{self.unsaved} not saved" if self._waiting else "nothing is saved"
            self.trouble = f"{_cause(self._state_dir, error)}: {what}"
            if not (isinstance(error, sqlite3.Error) and is_outer(error)):
                self._disconnect()
            return False
        if self.trouble:
            logger.warning("the game log is written again")
        self.trouble = None
        return True

    def close(self) -> None:
        """Writes what still waits, into the room kept back if there is no other, and gives the folder free.

        `trouble` and `unsaved` still tell what could not be written.
        """
        if self._lock < 0:
            return
        if not self.flush():
            self._give_room_back()
            if not self.flush():
                logger.error("the game log lost what was played last (%s)", self.trouble)
        self._disconnect()
        self._leave_readable()
        with contextlib.suppress(OSError):
            os.close(self._lock)
        self._lock = -1

    def __enter__(self) -> "Log":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _path(self) -> Path:
        return self._state_dir / FILE_NAME

    @property
    def _reserve(self) -> Path:
        return self._state_dir / RESERVE_NAME

    def _open(self) -> None:
        is_first = not self._path.exists()
        try:
            self._open_or_begin_anew()
        except sqlite3.Error:
            # Files that belong to an open log need room too; a full disk has at least what was kept back.
            self._give_room_back()
            try:
                self._open_or_begin_anew()
            except sqlite3.Error as error:
                cause = _cause(self._state_dir, error)
                if not (is_first and cause == "Disk full"):
                    raise LogError(f"cannot keep the game log {self._path}: {cause.lower()} ({error}); "
                                   "check its owner and the room on the disk, or choose another --state-dir") from error
                self.trouble = f"{cause}: nothing is saved"
        self._keep_room_back()

    def _open_or_begin_anew(self) -> None:
        db, self._moment = self._connect()
        self._rows = last_rows(db)
        self._choices = dict(db.execute(NEWEST_CHOICES).fetchall())

    def _connect(self) -> tuple[sqlite3.Connection, Moment | None]:
        try:
            self._db, moment = open_checked(self._path)
        except Unfit as unfit:
            kept = set_aside(self._path, unfit.kind)
            self.notice = f"the game log could not be used ({unfit}); it is kept as {kept.name}, a new one is begun"
            logger.warning("%s", self.notice)
            self._db, moment = open_checked(self._path)
        self._file = self._path.stat()
        return self._db, moment

    def _disconnect(self) -> None:
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
        self._db = None

    def _is_in_place(self) -> bool:
        """Whether the file that is open still has its name: a file that was deleted or replaced keeps nothing."""
        try:
            return self._file is not None and os.path.samestat(self._path.stat(), self._file)
        except OSError:
            return False

    def _look_again(self) -> sqlite3.Connection:
        """The file opened anew; what it does not hold of the last game and the choices waits from now on.

        A write that failed may be in the file all the same, so what it holds decides, not what was told.
        """
        self._disconnect()
        db, _ = self._connect()
        stored, chosen = last_rows(db), dict(db.execute(NEWEST_CHOICES).fetchall())
        known = len(stored) if stored == self._rows[: len(stored)] else 0
        self._waiting = [(ADD_RECORD, row) for row in self._rows[known:]]
        self._waiting += [(ADD_CHOICE, (_now(), *choice)) for choice in self._choices.items() - chosen.items()]
        return db

    def _leave_readable(self) -> None:
        """Writes the last game into a new file if the one that was written to cannot be opened any more."""
        if not self._is_changed or self.trouble:
            return
        with contextlib.suppress(sqlite3.Error, OSError):
            try:
                checked(self._path)
            except Unfit:
                self._write_waiting(self._look_again())
                self._disconnect()

    def _keep_room_back(self) -> None:
        if self._reserve.exists():
            return
        try:
            with self._reserve.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)
        except OSError:
            self._give_room_back()

    def _give_room_back(self) -> None:
        with contextlib.suppress(OSError):
            self._reserve.unlink()

    def _write_waiting(self, db: sqlite3.Connection) -> None:
        """One transaction, so that a cut leaves all or nothing of it; what waits is forgotten once it is on disk."""
        try:
            db.execute("BEGIN IMMEDIATE")
            for statement, values in self._waiting:
                db.execute(statement, values)
            db.execute("COMMIT")
        except sqlite3.Error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        self._waiting.clear()
        self._is_changed = True


def _locked(state_dir: Path) -> int:
    """The descriptor of the folder's lock file, locked until it is closed or the process ends in any way."""
    try:
        state_dir.mkdir(parents=True, exist_ok=True)
        lock = os.open(state_dir / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise LogError(f"cannot write to the state folder {state_dir}: {(error.strerror or str(error)).lower()}; "
                       "make it writable for this user or choose another with --state-dir") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        pid = os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "unknown"
        os.close(lock)
        raise LogError(f"the state folder {state_dir} is in use by another mishimash (pid {pid}); "
                       "stop that one first or choose another folder with --state-dir") from error
    with contextlib.suppress(OSError):  # the pid is a help for people; a full disk may have no room for it
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode("ascii"), 0)
    return lock


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


def _cause(state_dir: Path, error: Exception) -> str:
    """Why a write failed, in two words for the screen."""
    name = getattr(error, "sqlite_errorname", "")
    try:
        disk = os.statvfs(state_dir)
    except OSError:
        return "Folder gone"
    if disk.f_flag & os.ST_RDONLY or name.startswith("SQLITE_READONLY"):
        return "Disk read-only"
    if name == "SQLITE_FULL" or disk.f_bavail * disk.f_frsize < RESERVE_BYTES // 16:
        return "Disk full"
    return "Disk error"
