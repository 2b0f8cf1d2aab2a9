"""The guided run's conversation, the verdicts, the report and the command line."""

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.check import RollCheck, check_roll, checks_path, faults, read_checks, verdict_line, write_checks
from calibration.errors import CalibrationError
from calibration.fit import assumed_focal_px, fit_board, judge
from calibration.lens import fit_lens
from calibration.prompt import Answer, Choice, Stopped, TablePrompter, TerminalPrompter, parse_faces, text_picture
from calibration.report import report_page
from calibration.show import describe
from calibration.verdict import doubts
from companion.cli import main
from hardware.buttons import ScriptButtons
from hardware.displays import MemoryDisplay
from tests.invented_board import CENTRE_PX, SIZE_PX, pose_over, view_of
from vision.profile import Colour, DiceModel, DieKind, Lens, Light, Measured, TrayProfile
from vision.profile_file import load_profile, save_profile
from vision.reading import Die, Reading

LENS = Lens(*SIZE_PX, 1000.0, CENTRE_PX, -0.08)


def profile(shade: int = 90) -> TrayProfile:
    view = view_of(LENS, pose_over(view_of(LENS, pose_over(np.zeros((1, 2)), 200, 0, 0, 0)).corners_mm, 200, 9, 40, 5))
    fit = fit_board([view], assumed_focal_px(SIZE_PX[0]))
    return TrayProfile(
        camera="table",
        width_px=SIZE_PX[0],
        height_px=SIZE_PX[1],
        lens=fit.lens,
        pose=fit.poses[0],
        outline_mm=np.array([[-20.0, 10.0], [160.0, 10.0], [160.0, -120.0], [-20.0, -120.0]]),
        dice=DiceModel(16.0, 0.1, 0.26, 0.12),
        empty_bgr=np.full((SIZE_PX[1], SIZE_PX[0], 3), shade, np.uint8),
        board=judge(fit, view),
        light=Light(90.0, 1.5, 0.0, 0.0, np.array([[200.0, 150.0, 12.0]])),
    )


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("\n", Answer(Choice.YES)),
        ("y\n", Answer(Choice.YES)),
        ("n\n", Answer(Choice.NO)),
        ("1 2 3\n", Answer(Choice.YES, "1 2 3")),
    ],
)
def test_a_terminal_answers_with_enter_n_or_text(typed: str, answer: Answer):
    out = io.StringIO()
    assert TerminalPrompter(io.StringIO(typed), out).ask("Go on?", "go on", "repeat") == answer
    assert out.getvalue() == "Go on?\n  [Enter] go on   [n] repeat   [q] stop\n"


@pytest.mark.parametrize("typed", ["q\n", ""])
def test_a_terminal_stops_with_q_or_when_it_closes(typed: str):
    with pytest.raises(Stopped):
        TerminalPrompter(io.StringIO(typed), io.StringIO()).ask("Go on?", "go on", "repeat")


@pytest.mark.parametrize(("word", "choice"), [("roll", Choice.YES), ("bank", Choice.NO)])
def test_the_two_buttons_answer_at_the_table(word: str, choice: Choice):
    display = MemoryDisplay()
    prompter = TablePrompter(ScriptButtons.parse(word, "test"), display, lambda: 0.0, lambda s: None)
    assert prompter.ask("Lay the board in the tray.", "take it", "again") == Answer(choice)
    assert display.pictures[-1].size == (128, 64)


@pytest.mark.parametrize("word", ["menu", "quit", ""])
def test_both_buttons_or_the_end_of_a_script_stop(word: str):
    prompter = TablePrompter(ScriptButtons.parse(word, "test"), MemoryDisplay(), lambda: 0.0, lambda s: None)
    with pytest.raises(Stopped):
        prompter.ask("Go on?", "go on", "repeat")


@pytest.mark.parametrize("size_px", [(128, 64), (128, 32), (256, 64)])
def test_long_texts_stay_inside_the_display(size_px: tuple[int, int]):
    picture = text_picture("A very long sentence that goes on and on, " * 9, size_px, ("BANK redo", "ROLL next"))
    assert picture.size == size_px
    assert picture.mode == "1"


@pytest.mark.parametrize(("typed", "faces"), [("122456", (1, 2, 2, 4, 5, 6)), ("6 5 1", (1, 5, 6)), ("3,3", (3, 3))])
def test_faces_are_typed_with_or_without_spaces(typed: str, faces: Sequence[int]):
    assert parse_faces(typed) == faces


@pytest.mark.parametrize("typed", ["", "7", "1234561", "one"])
def test_what_is_no_roll_is_refused(typed: str):
    with pytest.raises(CalibrationError, match="type one to six faces"):
        parse_faces(typed)


def rolled(
    name: str, status: str = "ok", told: tuple[int, ...] | None = None, reasons: tuple[str, ...] = ()
) -> RollCheck:
    return RollCheck(name, status, (1, 2, 6), (0.9, 0.95, 0.99), reasons, 12.5, told)


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ([rolled("a"), rolled("b"), rolled("c")], ()),
        ([rolled("a"), rolled("b")], ("only 2 rolls were read: read 3 or more",)),
        ([rolled("a"), rolled("b"), rolled("c", told=(1, 2, 5))], ("c was read as 1 2 6, it shows 1 2 5",)),
        ([rolled("a"), rolled("b"), rolled("c", told=())], ("c was read as 1 2 6, which is wrong",)),
        (
            [rolled("a"), rolled("b"), rolled("c", "unsure", reasons=("glare",))],
            ("1 of 3 rolls were not read surely (glare)",),
        ),
        ([rolled("a"), rolled("b"), rolled("c", "empty")], ("1 of 3 pictures were taken for an empty tray",)),
    ],
)
def test_the_verdict_over_rolls_says_why(checks: list[RollCheck], said: tuple[str, ...]):
    assert faults(checks) == said
    assert verdict_line(checks).startswith("not fit for play, because " if said else "fit for play")


def test_numbers_of_a_check_come_back_from_their_file(tmp_path: Path):
    die = Die(3, 0.97, 100.0, 90.0, 60.0, 12.0)
    picture = np.zeros((60, 80, 3), np.uint8)
    picture[:, 40:] = 200
    checks = (check_roll("a.jpg", picture, Reading((die,), "ok"), (3,)), rolled("b", "unsure", None, ("too dark",)))
    path = checks_path(tmp_path / "profile.toml")
    write_checks(checks, path)
    assert path.name == "profile.check.jsonl"
    assert read_checks(path) == checks
    assert read_checks(tmp_path / "none.jsonl") == ()
    assert checks[0].sharpness == 100.0
    path.write_text("{}\n")
    with pytest.raises(CalibrationError, match="is no result of `mishimash calibrate check`"):
        read_checks(path)


def test_four_tilts_tell_a_lens_and_too_few_or_alike_views_name_what_is_missing():
    middle = view_of(LENS, pose_over(np.zeros((1, 2)), 200, 0, 0, 0)).corners_mm
    tilted = [view_of(LENS, pose_over(middle, 240, 22, azimuth, 0), seed=azimuth) for azimuth in (90, 0, 270, 180)]
    assert fit_lens(tilted, "").lens.focal_px == pytest.approx(1000, rel=0.01)
    with pytest.raises(CalibrationError, match="3 views of the board do not tell a lens: take 4 or more"):
        fit_lens(tilted[:3], "")
    alike = [view_of(LENS, pose_over(middle, 240, 22, 90, 0), seed=seed) for seed in range(4)]
    with pytest.raises(CalibrationError, match="with its right edge and with its bottom edge and with its left edge"):
        fit_lens(alike, "")


def test_a_profile_is_described_part_by_part_with_its_verdict():
    rows = dict(describe(profile()))
    assert rows["camera"] == "table, pictures of 1024x768"
    assert re.fullmatch(r"focal length \d+ px \(\d+° across\), measured; distortion k1 -0.0\d\d", rows["lens"])
    assert re.search(r"(8\.[89]|9\.[012])° off straight down", rows["pose"])
    assert rows["tray"] == "180 x 130 mm of floor"
    assert rows["dice"].startswith("edge 16 mm, pip radius 0.1")
    assert rows["doubt"] == "glare at the upper left: move the lamp or shade it, and repeat `light`"
    assert rows["verdict"] == "usable, but mend the doubts first"
    bare = dict(describe(replace(profile(), pose=None, lens=None, dice=None, board=None, light=None, outline_mm=None)))
    assert bare["verdict"].startswith("usable, and less is claimed: ")


def kind(edge_mm: float, seen: int = 9) -> DieKind:
    body, pips = Colour((60.0, 180.0, 200.0), 12.0, seen), Colour((50.0, 60.0, 70.0), 4.0, seen)
    step = Measured(-0.75, 0.06, seen)
    return DieKind(2, body, pips, step, Measured(edge_mm, 0.09, seen), one_radius=Measured(0.11, 0.0, 1))


def test_each_kind_of_dice_is_described_with_how_far_they_differ_and_how_sure_that_is():
    rows = describe(replace(profile(), dice=DiceModel(16.0, kinds=(kind(16.1), kind(15.9)))))
    assert [sentence for part, sentence in rows if part == "kind 1"] == [
        "2 yellow dice, #c8b43c (sd 12) with darker pips #463c32 (sd 4); seen on 9 faces",
        "pips over body -0.75 ± 0.03 (sd 0.06), edge 16.1 ± 0.04 mm (sd 0.09), one radius 0.11 (seen once)",
    ]
    assert [part for part, _ in rows].count("kind 2") == 2


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ((kind(16.1), kind(12.4)), ["some dice are 12.4 mm wide, most 16.0 mm: play with dice of one size"]),
        ((kind(16.1, seen=5),), ["the dice were measured on 5 faces only: repeat `dice` with all of them"]),
        ((kind(16.1), kind(15.9)), []),
        ((), []),
    ],
)
def test_dice_of_two_sizes_or_hardly_seen_are_doubted(kinds: tuple[DieKind, ...], said: list[str]):
    assert list(doubts(TrayProfile("", 64, 48, dice=DiceModel(16.0, kinds=kinds)))) == said


def test_the_report_draws_each_kind_in_its_colours():
    page = report_page([replace(profile(), dice=DiceModel(16.0, kinds=(kind(16.1), kind(15.9))))], [])
    assert page.count('fill="#c8b43c"') == 12
    assert page.count('fill="#463c32"') == 42


def test_the_report_is_one_page_with_both_profiles_that_loads_nothing():
    page = report_page([profile(), profile(120)], [rolled("a"), rolled("b & <c>")])
    assert page.count("<section>") == 2
    assert "b &amp; &lt;c&gt;" in page
    assert page.count("data:image/jpeg;base64,") == 4
    for needed in ("This profile", "The profile before", "Margins", "Corners of the board", "The dice, 16.0 mm wide"):
        assert needed in page
    assert not re.search(r'(src|href)="(?!data:)', page)


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    try:
        code = main(["calibrate", *map(str, words)])
    except SystemExit as left:
        code = int(left.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_show_report_and_undo_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "profile.toml"
    save_profile(profile(80), path)
    save_profile(profile(90), path)
    code, out, _ = run(capsys, "show", "--profile", path)
    assert code == 0
    assert out.splitlines()[-1].startswith("verdict")
    assert run(capsys, "report", "--profile", path, "--out", tmp_path / "report.html")[0] == 0
    assert (tmp_path / "report.html").read_text().count("<section>") == 2
    assert run(capsys, "undo", "--profile", path)[0] == 0
    assert int(load_profile(path).empty_bgr[0, 0, 0]) == 80


def test_the_sheet_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(capsys, "sheet", "--out", tmp_path / "board.pdf", "--paper", "letter")[0] == 0
    pdf = (tmp_path / "board.pdf").read_bytes()
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    assert box
    assert [float(points) / 72 * 25.4 for points in box.groups()] == pytest.approx([279.4, 215.9], abs=0.05)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "--profile", "none.toml"], "does not exist: run `mishimash calibrate` first"),
        (["undo", "--profile", "none.toml"], "no profile before this one"),
        (["sheet", "--out", "board.doc"], "the sheet can be written as .pdf or .png"),
        (["sheet", "--out", "board.pdf", "--square", "55"], "do not fit on a4: the largest that do are 32 mm"),
        (["sheet", "--out", "board.pdf", "--square", "wide"], "expected 5 to 60 millimetres, not 'wide'"),
        (["from-images", "none", "--out", "p.toml"], "is no folder"),
        (["check", "--profile", "none.toml"], "does not exist"),
        (["check", "--rolls", "0"], "expected how many rolls, 1 to 1000, not '0'"),
        (["tray", "--camera", "nonsense", "--profile", "none.toml"], "there is no camera 'nonsense'"),
        (["tray", "--size", "wide"], "expected a size in pixels like 1024x768, not 'wide'"),
        (["flatten"], "invalid choice: 'flatten'"),
    ],
)
def test_bad_arguments_end_in_one_line_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *words)
    assert code == 2
    assert out == ""
    assert said in err
    assert len(err.splitlines()) == 1
