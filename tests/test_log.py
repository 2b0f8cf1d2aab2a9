"""The event log: what is appended is there after any end, and a file or disk that fails loses nothing."""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from companion.game import Kept, Rolled
from companion.log import Log, LogError
from companion.log_file import FILE_NAME, MIGRATIONS, copy_in_memory, entries
from companion.rules import RuleError
from companion.timeline import Started, Undone, replay
from tests.random_games import endless_records, random_records

START = Started(("Ana", "Bo"), 80)
ROLL = Rolled((1, 2, 2, 3, 4, 6), 0.97)


def records_in(state_dir):
    with closing(copy_in_memory(state_dir / FILE_NAME)) as db:
        return [entry.record for entry in entries(db)]


def in_child(code, *args):
    """What a child process that holds a log prints."""
    done = subprocess.run([sys.executable, "-c", code, *map(str, args)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_new_log_has_no_moment_and_nothing_to_say(tmp_path):
    with Log.open(tmp_path / "a" / "b") as log:
        assert (log.moment(), log.notice, log.trouble, log.unsaved, log.choices()) == (None, None, None, 0, {})


def test_a_log_opened_again_stands_at_the_same_moment_with_the_same_past(tmp_path):
    records = list(random_records(3, target_halves=50, quirks=0.1))
    with Log.open(tmp_path) as log:
        for record in records:
            log.append(record)
    with Log.open(tmp_path) as log:
        assert log.moment().game == replay(records).game
        assert log.moment().events() == replay(records).events()
    assert records_in(tmp_path) == records


def test_the_last_game_begun_is_the_one_resumed(tmp_path):
    first, second = list(random_records(1, target_halves=50)), list(random_records(2))[:9]
    with Log.open(tmp_path) as log:
        for record in [*first, *second]:
            log.append(record)
    with Log.open(tmp_path) as log:
        assert log.moment().game == replay(second).game
    assert records_in(tmp_path) == [*first, *second]


def test_an_undo_adds_a_record_and_takes_none_away(tmp_path):
    with Log.open(tmp_path) as log:
        for record in (START, ROLL, Undone()):
            log.append(record)
        assert log.moment().events() == ()
    assert records_in(tmp_path) == [START, ROLL, Undone()]


def test_a_record_that_cannot_follow_is_refused_and_not_written(tmp_path):
    with Log.open(tmp_path) as log:
        log.append(START)
        with pytest.raises(RuleError):
            log.append(Kept((1,), "bank"))
    assert records_in(tmp_path) == [START]


def test_a_roll_keeps_its_confidence_its_correction_and_the_colours_of_its_dice(tmp_path):
    corrected = Rolled((1, 2, 2, 3, 4, 6), corrected=True)
    with Log.open(tmp_path) as log:
        log.append(START)
        log.append(ROLL, colours=("red", "red", "white", "white", "white", "black"))
        log.append(Undone())
        log.append(corrected)
    with closing(copy_in_memory(tmp_path / FILE_NAME)) as db:
        found = [(entry.record, entry.colours) for entry in entries(db)]
    assert found[1:] == [(ROLL, ("red", "red", "white", "white", "white", "black")), (Undone(), ()), (corrected, ())]


def test_the_rows_of_the_file_are_text_a_person_can_read(tmp_path):
    with Log.open(tmp_path) as log:
        log.append(START)
        log.append(ROLL)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        assert db.execute("SELECT record FROM records ORDER BY number").fetchall() == [
            ('start "Ana" "Bo" target=40',),
            ("rolled 1 2 2 3 4 6 confidence=0.97",),
        ]


def test_the_order_does_not_depend_on_the_clock(tmp_path):
    records = list(random_records(4, target_halves=50))
    with Log.open(tmp_path) as log:
        for record in records:
            log.append(record)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute("UPDATE records SET at = printf('%04d-01-01T00:00:00+00:00', 2100 - number)")
    with Log.open(tmp_path) as log:
        assert log.moment().game == replay(records).game


def test_choices_are_remembered_and_every_change_is_kept(tmp_path):
    with Log.open(tmp_path) as log:
        for language in ("de", "de", "pl", "de"):
            log.choose("language", language)
        log.choose("brightness", "80")
    with Log.open(tmp_path) as log:
        assert log.choices() == {"language": "de", "brightness": "80"}
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        assert db.execute("SELECT count(*) FROM choices").fetchone() == (4,)


def test_a_second_process_is_refused_with_the_pid_of_the_first_and_may_come_after_it(tmp_path):
    code = "import sys; from pathlib import Path; from companion.log import Log, LogError\n"
    code += "try: Log.open(Path(sys.argv[1])).close(); print('open')\nexcept LogError as error: print(error)"
    with Log.open(tmp_path):
        refusal = in_child(code, tmp_path)
        assert f"pid {os.getpid()}" in refusal
        assert str(tmp_path) in refusal
    assert in_child(code, tmp_path) == "open"


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_state_folder_that_cannot_be_is_refused_in_one_line(tmp_path, place):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(LogError, match=r"cannot write to the state folder .*--state-dir") as refusal:
        Log.open(tmp_path / place)
    assert "\n" not in str(refusal.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_state_folder_of_somebody_else_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(LogError, match="permission denied"):
        Log.open(tmp_path)


@pytest.fixture(scope="module")
def written_log(tmp_path_factory):
    """The file of a log of 300 records."""
    state_dir = tmp_path_factory.mktemp("written")
    with Log.open(state_dir) as log:
        for record in islice(endless_records(5), 300):
            log.append(record)
    return state_dir / FILE_NAME


def truncate(path):
    os.truncate(path, path.stat().st_size // 2 + 100)


def empty(path):
    os.truncate(path, 0)


def zero(path):
    path.write_bytes(bytes(path.stat().st_size))


def scribble(path):
    """Noise over a few pages in the middle, as a worn card leaves it."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 3000] = bytes(range(250)) * 12
    path.write_bytes(content)


def cat_picture(path):
    path.write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(range(256)) * 40)


def newer(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")


def other_program(path):
    path.unlink()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE cats (name TEXT)")


def nonsense_record(path):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE records SET record = 'meow' WHERE number = 200")


def illegal_record(path):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE records SET record = 'rolled 1' WHERE number = 2")


def no_table(path):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TABLE records")


def folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("harm", "kind"),
    [
        (truncate, "damaged"),
        (empty, "empty"),
        (zero, "not-a-log"),
        (scribble, "damaged"),
        (cat_picture, "not-a-log"),
        (newer, "newer"),
        (other_program, "not-a-log"),
        (nonsense_record, "damaged"),
        (illegal_record, "damaged"),
        (no_table, "damaged"),
        (folder, "not-a-log"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_file_that_is_no_log_is_moved_aside_unchanged_and_a_new_one_begun(tmp_path, written_log, harm, kind):
    path = Path(shutil.copy(written_log, tmp_path))
    harm(path)
    content = None if path.is_dir() else path.read_bytes()
    for n in (1, 2):
        with Log.open(tmp_path) as log:
            kept = tmp_path / f"games.{kind}-{n}.db"
            assert kept.name in log.notice
            assert "\n" not in log.notice
            assert (None if kept.is_dir() else kept.read_bytes()) == content
            assert log.moment() is None
            log.append(START)
        with Log.open(tmp_path) as log:
            assert log.notice is None
            assert log.moment() is not None
        path.unlink()
        (shutil.copytree if kept.is_dir() else shutil.copy)(kept, path)


def test_what_belongs_to_a_damaged_file_is_moved_aside_with_it(tmp_path, written_log):
    path = Path(shutil.copy(written_log, tmp_path))
    cat_picture(path)
    path.with_name(path.name + "-wal").write_bytes(b"records not yet in the database")
    Log.open(tmp_path).close()
    assert (tmp_path / "games.not-a-log-1.db-wal").read_bytes() == b"records not yet in the database"


def test_what_a_missing_file_left_behind_is_moved_aside_too(tmp_path):
    (tmp_path / f"{FILE_NAME}-wal").write_bytes(b"records")
    with Log.open(tmp_path) as log:
        assert "games.damaged-1.db" in log.notice
    assert (tmp_path / "games.damaged-1.db-wal").read_bytes() == b"records"


@pytest.mark.parametrize("version", range(len(MIGRATIONS)))
def test_a_file_of_every_older_version_is_migrated_with_all_its_records(tmp_path, version):
    lines = ['start "Ana" "Bo" target=40', "rolled 1 2 2 3 4 6", "keep 1 then bank"]
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        for statements in MIGRATIONS[:version]:
            for statement in statements:
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {version}")
        if version:
            db.executemany("INSERT INTO records (at, record) VALUES ('then', ?)", [(line,) for line in lines])
    before = records_in(tmp_path)
    assert len(before) == (len(lines) if version else 0)
    with Log.open(tmp_path) as log:
        assert log.notice is None
        log.choose("language", "fr")
        if version:
            assert log.moment().game.totals == (2, 0)
    assert records_in(tmp_path) == before


def deleted(path):
    path.unlink()


def replaced(path):
    other = path.with_name("other")
    cat_picture(other)
    other.rename(path)


@pytest.mark.parametrize("suffix", ["", "-wal"])
@pytest.mark.parametrize("harm", [truncate, empty, zero, scribble, cat_picture, deleted, replaced])
def test_a_game_whose_file_is_damaged_while_it_is_open_loses_nothing_if_it_ends_properly(tmp_path, harm, suffix):
    records = list(islice(endless_records(8), 700))
    with Log.open(tmp_path) as log:
        log.choose("language", "de")
        for record in records[:600]:
            log.append(record, colours=("red",) if isinstance(record, Rolled) else ())
        harm(tmp_path / f"{FILE_NAME}{suffix}")
        for record in records[600:]:
            log.append(record)
    with Log.open(tmp_path) as log:
        assert (log.notice, log.choices()) == (None, {"language": "de"})
        assert log.moment().events() == replay(records).events()
    assert records_in(tmp_path) == records


@pytest.mark.parametrize("harm", [deleted, replaced])
def test_a_file_that_is_taken_away_is_missed_at_once_and_the_game_is_safe_in_a_new_one(tmp_path, harm):
    records = list(islice(endless_records(8), 60))
    with Log.open(tmp_path) as log:
        for record in records[:50]:
            log.append(record)
        harm(tmp_path / FILE_NAME)
        assert log.flush()
        assert records_in(tmp_path) == records[:50]
        for record in records[50:]:
            log.append(record)
        assert records_in(tmp_path) == records


def test_an_index_that_is_damaged_while_the_log_is_open_is_made_anew(tmp_path):
    records = list(islice(endless_records(8), 300))
    with Log.open(tmp_path) as log:
        for record in records[:200]:
            log.append(record)
        index = tmp_path / f"{FILE_NAME}-shm"
        with index.open("r+b") as file:
            file.seek(index.stat().st_size // 2)
            file.write(bytes(range(250)) * 12)
        for record in records[200:]:
            log.append(record)
        assert (log.trouble, log.unsaved) == (None, 0)
    assert records_in(tmp_path) == records


def test_a_state_folder_that_is_gone_and_comes_back_has_the_whole_game(tmp_path):
    folder, elsewhere = tmp_path / "state", tmp_path / "elsewhere"
    records = list(islice(endless_records(8), 40))
    with Log.open(folder) as log:
        for record in records[:20]:
            log.append(record)
        folder.rename(elsewhere)
        for _ in range(2):
            assert not log.flush()
            assert log.trouble == "Folder gone: nothing is saved"
        for record in records[20:30]:
            log.append(record)
        assert log.trouble == "Folder gone: 10 not saved"
        elsewhere.rename(folder)
        for record in records[30:]:
            log.append(record)
        assert log.trouble is None
    assert records_in(folder) == records


def test_a_game_can_be_read_by_others_while_it_is_played(tmp_path):
    with Log.open(tmp_path) as log:
        log.append(START)
        log.append(ROLL)
        assert records_in(tmp_path) == [START, ROLL]


def test_records_wait_in_memory_while_the_disk_refuses_them_and_are_written_once_it_takes_them(tmp_path):
    """A limit on the size of files stands for a disk that fails: every write beyond it is an error."""
    records = list(islice(endless_records(6), 120))
    ample = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Log.open(tmp_path) as log:
        for record in records[:20]:
            log.append(record)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, ample[1]))
        try:
            for record in records[20:100]:
                log.append(record)
            assert log.unsaved == 80
            assert log.trouble.endswith("80 not saved")
            assert log.moment().game == replay(records[:100]).game
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, ample)
        log.append(records[100])
        assert (log.trouble, log.unsaved) == (None, 0)
        for record in records[101:]:
            log.append(record)
    assert records_in(tmp_path) == records


@pytest.fixture
def small_disk(tmp_path):
    """A tmpfs of 2 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs", str(disk)], capture_output=True
    )
    if not mounted or mounted.returncode:
        pytest.skip("a small disk of its own needs the right to mount a tmpfs")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk):
    """Takes all the room a disk has left."""
    with (disk / "filler").open("ab", buffering=0) as file:
        for size in (65536, 4096, 1):
            while True:
                try:
                    file.write(bytes(size))
                except OSError:
                    break


def test_a_game_on_a_full_disk_goes_on_says_so_and_is_whole_once_there_is_room(small_disk):
    records = list(islice(endless_records(8), 900))
    with Log.open(small_disk) as log:
        for record in records[:50]:
            log.append(record)
        fill(small_disk)
        for record in records[50:600]:
            log.append(record)
        assert log.trouble == f"Disk full: {log.unsaved} not saved"
        (small_disk / "filler").unlink()
        for record in records[600:]:
            log.append(record)
        assert log.trouble is None
    assert records_in(small_disk) == records


def test_a_game_that_ends_properly_on_a_full_disk_is_written_into_the_room_kept_back_and_resumed(small_disk):
    records = list(islice(endless_records(9), 900))
    log = Log.open(small_disk)
    for record in records[:50]:
        log.append(record)
    fill(small_disk)
    for record in records[50:]:
        log.append(record)
    assert log.unsaved > 0
    log.close()
    assert (log.trouble, log.unsaved) == (None, 0)
    with Log.open(small_disk) as log:
        assert log.moment().game == replay(records).game
    assert records_in(small_disk) == records


def test_a_disk_that_is_full_from_the_start_lets_the_first_game_begin_in_memory(small_disk):
    fill(small_disk)
    with Log.open(small_disk) as log:
        log.append(START)
        log.append(ROLL)
        assert log.trouble == "Disk full: 2 not saved"
        (small_disk / "filler").unlink()
        assert log.flush()
    assert records_in(small_disk) == [START, ROLL]


def test_a_game_that_ends_while_the_disk_refuses_it_says_what_is_not_saved(tmp_path):
    ample = resource.getrlimit(resource.RLIMIT_FSIZE)
    log = Log.open(tmp_path)
    log.append(START)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, ample[1]))
    try:
        log.append(ROLL)
        log.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, ample)
    assert (log.unsaved, log.trouble.endswith("1 not saved")) == (1, True)
    log.close()
    assert records_in(tmp_path) == [START]


def test_a_read_only_disk_is_refused_in_words_but_its_games_can_be_read(small_disk):
    with Log.open(small_disk) as log:
        log.append(START)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(LogError, match="read-only file system"):
        Log.open(small_disk)
    assert records_in(small_disk) == [START]
