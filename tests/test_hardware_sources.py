"""Cameras, displays and buttons that need no Pi, and the one clear line when they cannot be had."""

import io
import os
import pty
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw

from hardware.buttons import KEYS, KeyboardButtons, ScriptButtons, open_buttons
from hardware.cameras import open_camera
from hardware.displays import MemoryDisplay, PngDisplay, TerminalDisplay, braille, half_blocks, open_display
from hardware.pictures import load_picture
from hardware.ports import Button, DeviceError, EndOfFrames, Key, Press

PICTURE = np.random.default_rng(0).integers(0, 255, (60, 80, 3), dtype=np.uint8)


def encoded(ending: str, picture: np.ndarray = PICTURE) -> bytes:
    return bytes(cv2.imencode(ending, picture)[1])


@pytest.mark.parametrize(
    ("name", "data", "shape"),
    [
        ("colour.png", encoded(".png"), (60, 80, 3)),
        ("grey.png", encoded(".png", PICTURE[..., 0]), (60, 80, 3)),
        ("grey16.png", encoded(".png", PICTURE[..., 0].astype(np.uint16) * 257), (60, 80, 3)),
        ("colour16.png", encoded(".png", PICTURE.astype(np.uint16) * 257), (60, 80, 3)),
        ("alpha.png", encoded(".png", np.dstack([PICTURE, PICTURE[..., :1]])), (60, 80, 3)),
        ("one-pixel.png", encoded(".png", PICTURE[:1, :1]), (1, 1, 3)),
        ("behind-it-a-video.jpg", encoded(".jpg") + b"moov" * 5000, (60, 80, 3)),
        ("50-megapixels.jpg", encoded(".jpg", np.zeros((6200, 8100, 3), np.uint8)), (6200, 8100, 3)),
    ],
)
def test_every_whole_picture_becomes_bgr_bytes(tmp_path: Path, name: str, data: bytes, shape: tuple[int, ...]) -> None:
    (tmp_path / name).write_bytes(data)
    picture = load_picture(tmp_path / name)
    assert picture.shape == shape
    assert picture.dtype == np.uint8


def test_sixteen_bits_are_scaled_to_eight(tmp_path: Path) -> None:
    (tmp_path / "deep.png").write_bytes(encoded(".png", PICTURE.astype(np.uint16) * 257))
    assert np.abs(load_picture(tmp_path / "deep.png").astype(int) - PICTURE).max() <= 1


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.jpg", b"", "empty"),
        ("half.jpg", encoded(".jpg")[:2000], "JPEG is cut short"),
        ("header.jpg", encoded(".jpg")[:100], "JPEG is cut short"),
        ("half.png", encoded(".png")[:2000], "PNG is cut short"),
        ("broken.png", encoded(".png")[:20] + b"x" * 40 + encoded(".png")[60:], "not an image"),
        ("letter.jpg", b"Dear Ana, the dice are on the table.", "not an image"),
        (".", None, "is a folder"),
        ("none.jpg", None, "no such file"),
    ],
)
def test_what_is_no_whole_picture_is_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, data: bytes | None, reason: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(DeviceError, match=reason) as error:
        load_picture(tmp_path / name)
    assert "\n" not in str(error.value)
    assert capfd.readouterr() == ("", "")


def test_a_folder_gives_its_pictures_in_name_order_and_says_what_it_passed_over(tmp_path: Path) -> None:
    for name, level in (("b.png", 2), ("a.png", 1), ("d.png", 4)):
        (tmp_path / name).write_bytes(encoded(".png", np.full((4, 4, 3), level, np.uint8)))
    (tmp_path / "c.jpg").write_text("not an image")
    (tmp_path / "truth.json").write_text("{}")
    camera = open_camera(f"folder:{tmp_path}")
    frames = [camera.frame() for _ in range(3)]
    assert [(f.name, int(f.image_bgr[0, 0, 0])) for f in frames] == [("a.png", 1), ("b.png", 2), ("d.png", 4)]
    with pytest.raises(EndOfFrames):
        camera.frame()
    assert not camera.live
    assert len(camera.passed_over) == 1
    assert "c.jpg" in camera.passed_over[0]


def test_a_video_gives_its_frames_at_the_times_they_were_recorded(tmp_path: Path) -> None:
    file = tmp_path / "roll.mkv"
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter_fourcc(*"FFV1"), 15.0, (80, 60))
    frames = [np.roll(PICTURE, i, axis=1) for i in range(4)]
    for frame in frames:
        writer.write(frame)
    writer.release()
    camera = open_camera(f"video:{file}")
    for i, frame in enumerate(frames):
        given = camera.frame()
        assert given.captured_s == pytest.approx(i / 15)
        assert np.array_equal(given.image_bgr, frame)
    with pytest.raises(EndOfFrames, match="4 frames"):
        camera.frame()
    camera.close()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("webcam", "there is no camera 'webcam'; there are: picamera2"),
        ("folder:", "say which one"),
        ("folder:/none", "no such folder"),
        ("folder:{empty}", "no pictures in it"),
        ("folder:{text}", "not a folder"),
        ("video:/none.mp4", "no such video"),
        ("video:{text}", "not a video"),
        ("v4l2:97", "/dev/video97 is not there"),
        ("v4l2:front", "a number must follow"),
    ],
)
def test_a_camera_that_cannot_be_had_is_one_line(tmp_path: Path, source: str, reason: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("hello")
    with pytest.raises(DeviceError, match=reason) as error:
        open_camera(source.format(empty=tmp_path / "empty", text=tmp_path / "text"))
    assert "\n" not in str(error.value)


def test_a_folder_without_one_readable_picture_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_text("no")
    with pytest.raises(DeviceError, match=r"none of its 1 files is a picture.*a\.jpg"):
        open_camera(f"folder:{tmp_path}").frame()


def picture_of(text: str) -> Image.Image:
    picture = Image.new("1", (128, 64))
    ImageDraw.Draw(picture).text((4, 4), text, fill=1)
    return picture


def test_braille_and_half_blocks_hold_every_pixel() -> None:
    lit = np.random.default_rng(1).random((64, 128)) < 0.4
    codes = np.array([[ord(c) - 0x2800 for c in line] for line in braille(lit)])
    dots = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]
    rebuilt = np.stack([(codes & dot) > 0 for dot in dots], -1).reshape(16, 64, 4, 2).transpose(0, 2, 1, 3)
    assert np.array_equal(rebuilt.reshape(64, 128), lit)
    for utf, signs in ((True, " ▀▄█"), (False, " '.#")):
        pairs = np.array([[signs.index(c) for c in line] for line in half_blocks(lit, utf)])
        assert np.array_equal(np.stack([pairs & 1, pairs >> 1], 1).reshape(64, 128), lit)


def test_a_pipe_gets_each_new_picture_once_and_no_control_codes() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    display = TerminalDisplay(out)
    for text in ("one", "one", "two"):
        display.show(picture_of(text))
    display.close()
    text = out.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert text.count("┌") == 2
    assert "\x1b" not in text
    assert all(what in text.replace("\n", " ") for _, what in KEYS)


def test_without_utf8_the_picture_is_plain_ascii() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    TerminalDisplay(out).show(picture_of("one"))
    assert "#" in out.buffer.getvalue().decode("ascii")  # type: ignore[attr-defined]


class Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True

    def taken(self) -> str:
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return text


def test_in_a_terminal_the_picture_is_drawn_over_itself_and_the_cursor_given_back() -> None:
    terminal = Terminal()
    display = TerminalDisplay(terminal)
    display.show(picture_of("one"))
    first = terminal.taken()
    assert first.count("\x1b[2J") == first.count("\x1b[H") == 1
    display.show(picture_of("one"))
    assert terminal.taken() == ""
    display.show(picture_of("two"))
    second = terminal.taken()
    assert second.startswith("\x1b[H")
    assert "\x1b[2J" not in second
    display.close()
    assert terminal.taken().startswith("\x1b[?25h")


def test_picture_and_keys_fit_a_terminal_of_80_by_24() -> None:
    terminal = Terminal()
    TerminalDisplay(terminal).show(picture_of("one"))
    lines = terminal.taken().replace("\x1b[?25l\x1b[2J\x1b[H", "").split("\x1b[K\r\n")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_png_files_are_written_when_the_picture_changes(tmp_path: Path) -> None:
    display = open_display(f"png:{tmp_path / 'out'}")
    for text in ("one", "one", "two", "one"):
        display.show(picture_of(text))
    names = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert names == ["0001.png", "0002.png", "0003.png"]
    assert Image.open(tmp_path / "out" / "0002.png").tobytes() == picture_of("two").tobytes()


def test_a_display_that_cannot_be_had_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DeviceError, match="cannot be made"):
        PngDisplay(tmp_path / "file" / "out")
    with pytest.raises(DeviceError, match="there is no display 'vga'"):
        open_display("vga")


def test_the_display_in_memory_keeps_what_it_was_shown() -> None:
    display = MemoryDisplay()
    for text in ("one", "one", "two"):
        display.show(picture_of(text))
    assert [p.tobytes() for p in display.pictures] == [picture_of("one").tobytes(), picture_of("two").tobytes()]


def test_a_script_gives_a_word_each_time_the_table_asks() -> None:
    script = ScriptButtons.parse("# a game\nroll\n\nlift 1 3  # keep two\nundo\nmenu\nstep\nbank\n", "game.txt")
    assert script.presses(0.0, asked=False) == []
    given = [script.presses(float(i), asked=True) for i in range(8)]
    assert given == [
        [Press(Button.ROLL, False, 0.0)],
        [Key("lift", (1, 3), 1.0)],
        [Press(Button.BANK, True, 2.0)],
        [Press(Button.BOTH, True, 3.0)],
        [Press(Button.ROLL, True, 4.0)],
        [Press(Button.BANK, False, 5.0)],
        [Key("quit", (), 6.0)],
        [Key("quit", (), 7.0)],
    ]


def test_wait_counts_from_the_first_time_it_is_asked() -> None:
    script = ScriptButtons.parse("wait 0.5\nbank", "game.txt")
    assert [bool(script.presses(t, asked=True)) for t in (10.0, 10.4, 10.5)] == [False, False, True]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("bnak", "game.txt, line 2: 'bnak' is no word of a script; did you mean 'bank'?"),
        ("xyzzy", "the words are: bank roll"),
        ("wait", "needs one number of seconds"),
        ("wait soon", "'wait soon' needs one number"),
        ("wait -1", "needs one number"),
        ("wait nan", "needs one number"),
        ("lift", "needs dice from 1 to 6"),
        ("lift 1 7", "'lift 1 7' needs dice from 1 to 6"),
        ("bank 3", "'3' after 'bank' means nothing"),
    ],
)
def test_a_malformed_line_is_named_with_file_line_and_word(line: str, reason: str) -> None:
    with pytest.raises(DeviceError) as error:
        ScriptButtons.parse(f"roll\n{line}\n", "game.txt")
    assert reason in str(error.value)
    assert "line 2" in str(error.value)


def test_buttons_that_cannot_be_had_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00\x81")
    for source, reason in (
        ("joystick", "there are no buttons 'joystick'; there are: gpio"),
        ("script:", "say which file"),
        ("script:/none", "no such script"),
        (f"script:{tmp_path / 'bytes'}", "cannot be read as text"),
    ):
        with pytest.raises(DeviceError, match=reason):
            open_buttons(source)
    with pytest.raises(DeviceError, match="need a terminal"), open(os.devnull) as nothing:
        KeyboardButtons(nothing)


def test_keys_are_read_one_stroke_each_and_the_terminal_is_given_back() -> None:
    import termios

    leader, follower = pty.openpty()
    with open(follower, encoding="utf-8") as terminal:
        before = termios.tcgetattr(follower)
        keyboard = KeyboardButtons(terminal)
        assert not termios.tcgetattr(follower)[3] & termios.ICANON
        assert keyboard.presses(0.0, asked=True) == []
        os.write(leader, b"bR3? u")
        assert [keyboard.presses(now_s, asked=False) for now_s in (2.0, 3.0, 4.0, 5.0, 6.0, 7.0)] == [
            [Press(Button.BANK, False, 2.0)],
            [Press(Button.ROLL, False, 3.0)],
            [Key("die", (3,), 4.0)],
            [Key("throw", (), 5.0)],
            [Press(Button.BANK, True, 6.0)],
            [],
        ]
        os.write(leader, b"\x1b[A")
        assert keyboard.presses(3.0, asked=True) == []
        keyboard.close()
        keyboard.close()
        assert termios.tcgetattr(follower) == before
    os.close(leader)
