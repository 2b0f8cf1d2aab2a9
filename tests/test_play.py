"""Whole sittings with `mishimash play`: pictures and presses in, events, screens and a log out."""

import json
import os
import pty
import select
import subprocess
import sys
import termios
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from companion import cli
from companion.demo import calibrated
from companion.screens import picture
from companion.table import LogAnew, Settings, new_table, step
from companion.table_state import Off
from hardware.simulated import SimulatedTray
from vision.profile_file import save_profile

GREY_JPEG = cv2.imencode(".jpg", np.full((480, 640, 3), 90, np.uint8))[1].tobytes()
PLAY = ("play", "--camera", "table", "--players", "Ana,Bo")


def write(path: Path, *words: str) -> str:
    """The path of a text file with a word a line."""
    path.write_text("\n".join(words) + "\n", encoding="utf-8")
    return str(path)


def play(tmp_path: Path, *words: str, script: tuple[str, ...]) -> list[dict]:
    """The events of a sitting whose buttons press `script`."""
    events = tmp_path / "events.jsonl"
    events.unlink(missing_ok=True)
    buttons = write(tmp_path / "script.txt", *script)
    screens = f"png:{tmp_path / 'screens'}"
    code = cli.main([*words, "--buttons", f"script:{buttons}", "--display", screens, "--events", str(events)])
    assert code == 0
    return [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]


def of_kind(events: list[dict], kind: str) -> list[dict]:
    """The events of one kind."""
    return [event for event in events if event["event"] == kind]


def rolls_of(seed: int, counts: list[int]) -> list[list[int]]:
    """What the simulated tray of a seed shows when so many dice are thrown one throw after another."""
    tray, shown = SimulatedTray(seed), []
    for count in counts:
        tray.throw(count)
        while not tray.at_rest():
            tray.frame()
        shown.append(sorted(die.face for die in tray.truth()))
    return shown


@pytest.fixture(scope="module")
def sitting(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict]]:
    """A sitting of a few turns at the simulated tray, and its folder."""
    folder = tmp_path_factory.mktemp("sitting")
    return folder, play(folder, *PLAY, "--seed", "5", "--target", "40", script=("roll", "bank") * 6)


def test_every_roll_is_read_from_pictures_as_it_lies(sitting):
    rolls = of_kind(sitting[1], "roll")
    assert rolls
    assert [roll["values"] for roll in rolls] == rolls_of(5, [len(roll["values"]) for roll in rolls])


def test_every_bank_adds_up_to_the_totals(sitting):
    totals = {"Ana": 0, "Bo": 0}
    for bank in of_kind(sitting[1], "bank"):
        totals[bank["player"]] += bank["points"]
        assert bank["total"] == totals[bank["player"]]


def test_turns_pass_from_player_to_player(sitting):
    turns = [turn["player"] for turn in of_kind(sitting[1], "turn")]
    assert turns == (["Ana", "Bo"] * len(turns))[: len(turns)]


def test_the_screens_are_pictures_of_the_oled(sitting):
    screens = sorted((sitting[0] / "screens").glob("*.png"))
    assert len(screens) > 10
    for screen in screens:
        with Image.open(screen) as picture:
            assert (picture.size, picture.mode) == ((128, 64), "1")


@pytest.mark.parametrize("wanted", [True, False])
def test_the_last_screen_says_good_night_where_the_config_wants_that(tmp_path, wanted):
    config = write(tmp_path / "config.toml", "[display]", f"off_text = {str(wanted).lower()}")
    play(tmp_path, *PLAY, "--config", config, script=("roll",))
    last = Image.open(max((tmp_path / "screens").iterdir()))
    off = new_table(Settings(("Ana", "Bo"))).with_scene(Off())
    assert (last.convert("1").tobytes() == picture(off, (128, 64)).tobytes()) == wanted


def test_dice_lifted_out_of_the_tray_are_what_is_kept(tmp_path):
    events = play(tmp_path, *PLAY, "--seed", "5", script=("throw", "lift 1", "wait 2", "bank"))
    roll, keep = of_kind(events, "roll")[0], of_kind(events, "keep")[0]
    assert roll["values"][0] == 1, "the seed is meant to roll a One"
    assert keep["values"] == [1]


def test_keys_count_as_soon_as_the_first_screen_is_there(tmp_path):
    keyboard, terminal = pty.openpty()
    words = (*PLAY, "--display", "terminal", "--buttons", "keyboard", "--state-dir", str(tmp_path / "state"))
    command = [sys.executable, "-c", "import sys; from companion import cli; sys.exit(cli.main())", *words]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal) as playing:
        os.read(keyboard, 1)
        assert not termios.tcgetattr(terminal)[3] & termios.ECHO
        os.write(keyboard, b"q")
        while playing.poll() is None:
            if select.select([keyboard], [], [], 0.1)[0]:
                os.read(keyboard, 65536)
    os.close(keyboard)
    os.close(terminal)
    assert playing.returncode == 0


def test_a_sitting_goes_on_where_the_last_one_stopped(tmp_path):
    state = ("--state-dir", str(tmp_path / "state"))
    first = play(tmp_path, *PLAY, *state, "--seed", "5", script=("roll", "bank"))
    second = play(tmp_path, "play", "--camera", "table", *state, "--seed", "6", script=("roll", "bank"))
    assert of_kind(first, "start")
    assert not of_kind(second, "start")
    assert of_kind(second, "roll")[0]["player"] == "Bo"


def test_a_log_that_is_no_log_is_kept_aside_and_told_on_the_screen(tmp_path, caplog):
    state = tmp_path / "state"
    state.mkdir()
    (state / "games.db").write_bytes(GREY_JPEG)
    play(tmp_path, *PLAY, "--state-dir", str(state), script=("wait 1",))
    settings = Settings(("Ana", "Bo"), 2000)
    told, _ = step(new_table(settings), LogAnew())
    with Image.open(tmp_path / "screens" / "0001.png") as first:
        assert first.tobytes() == picture(told).tobytes()
    [kept] = [path for path in state.iterdir() if path.read_bytes() == GREY_JPEG]
    assert kept.name in caplog.text


def test_a_folder_of_pictures_plays_a_turn_and_passes_over_what_is_no_roll(tmp_path):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    tray = SimulatedTray(5)
    cv2.imwrite(str(pictures / "0-empty.png"), tray.empty_picture())
    (pictures / "1-broken.jpg").write_bytes(b"")
    shown = []
    for name in ("2-roll.png", "3-roll.png"):
        tray.throw(6)
        while not tray.at_rest():
            tray.frame()
        cv2.imwrite(str(pictures / name), tray.frame().image_bgr)
        shown.append(sorted(die.face for die in tray.truth()))
    profile = tmp_path / "profile.toml"
    save_profile(calibrated(tray, cli.make_profile), profile)
    words = ("play", "--camera", f"folder:{pictures}", "--profile", str(profile), "--players", "Ana,Bo")
    events = play(tmp_path, *words, script=("bank", "bank"))
    assert [roll["values"] for roll in of_kind(events, "roll")] == shown


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.write_bytes(b""), "empty"),
        (lambda path: path.write_text("not a picture"), "not"),
        (lambda path: path.mkdir(), "folder"),
        (lambda path: path.write_bytes(GREY_JPEG[: len(GREY_JPEG) // 2]), ""),
    ],
    ids=["missing", "zero bytes", "text", "folder", "truncated"],
)
def test_what_is_no_picture_is_an_error_row_and_exit_1(capsys, tmp_path, make, says):
    path = tmp_path / "picture.jpg"
    make(path)
    assert cli.main(["read", str(path), "--json"]) == 1
    row = json.loads(capsys.readouterr().out)
    assert row["status"] == "error"
    assert str(path) in row["reasons"][0]
    assert says in row["reasons"][0]


def test_a_picture_that_would_fill_the_memory_is_refused_by_its_header(capsys, tmp_path):
    path = tmp_path / "huge.png"
    Image.new("1", (20_000, 20_000)).save(path)
    assert cli.main(["read", str(path)]) == 1
    assert "more than 150 megapixels" in capsys.readouterr().out


def test_pictures_of_one_name_from_two_folders_are_both_drawn(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        cv2.imwrite(str(tmp_path / folder / "x.png"), np.full((60, 80, 3), 90, np.uint8))
    assert cli.main(["read", *(str(tmp_path / f / "x.png") for f in "ab"), "--annotate", str(tmp_path / "out")]) == 0
    assert len(list((tmp_path / "out").glob("*.png"))) == 2


@pytest.mark.parametrize(
    "picture",
    [
        np.full((1, 1, 3), 128, np.uint8),
        np.full((480, 640), 128, np.uint8),
        np.full((480, 640), 128 * 257, np.uint16),
        np.full((480, 640, 4), 128, np.uint8),
    ],
    ids=["one pixel", "grey", "16 bit", "alpha"],
)
def test_a_plain_picture_of_any_kind_shows_no_dice(capsys, tmp_path, picture):
    path = tmp_path / "picture.png"
    cv2.imwrite(str(path), picture)
    assert cli.main(["read", str(path), "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["status"] in ("empty", "unsure"), row["values"]) == (True, [])


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ('[game]\nplayrs = ["Ana"]\n', ["'game.playrs'", "'players'"]),
        ("[game]\ntarget = 'many'\n", ["'game.target'", "'many'"]),
        ("[display]\nchip = 'ssd1307'\n", ["'display.chip'", "ssd1306"]),
        ("[camera]\nrest_s = inf\n", ["'camera.rest_s'", "inf"]),
        ("[game]\nplayers = []\n", ["'game.players'", "1 to 8"]),
        ('[game]\nplayers = ["Ana", "Ana"]\n', ["'game.players'", "'Ana'"]),
        ("[game]\nplayers = 2\n", ["'game.players'", "list"]),
        ("game = 3\n", ["[game]"]),
        ("[game\n", ["TOML"]),
    ],
)
def test_a_config_with_a_fault_names_the_key_and_the_near_one(capsys, tmp_path, toml, says):
    path = tmp_path / "config.toml"
    path.write_text(toml, encoding="utf-8")
    assert cli.main(["play", "--config", str(path)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    for part in (str(path), *says):
        assert part in err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--state-dir", "{file}/state"), ["{file}/state"]),
        (("--events", "{file}/events"), ["{file}/events"]),
        (("--players", "Ana,Ana"), ["'Ana'"]),
        (("--players", ""), ["name"]),
        (("--camera", "folder:{empty}"), ["{empty}"]),
        (("--camera", "folder:{file}"), ["{file}"]),
        (("--camera", "video:{file}"), ["{file}"]),
        (("--buttons", "script:{script}"), ["line 2", "bnak", "bank"]),
        (("--display", "png:{file}/screens"), ["{file}/screens"]),
    ],
)
def test_a_part_that_cannot_be_had_is_one_line_and_exit_2(capsys, tmp_path, words, says):
    (tmp_path / "empty").mkdir()
    places = {
        "file": write(tmp_path / "file", "text"),
        "script": write(tmp_path / "script", "roll", "bnak"),
        "empty": tmp_path / "empty",
    }
    sound = {
        "--camera": "table",
        "--buttons": f"script:{write(tmp_path / 'good', 'roll')}",
        "--display": f"png:{tmp_path / 'screens'}",
        words[0]: words[1].format(**places),
    }
    assert cli.main(["play", *(word for pair in sound.items() for word in pair)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1, err
    for part in says:
        assert part.format(**places) in err
