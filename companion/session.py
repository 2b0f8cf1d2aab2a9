"""One sitting at the table: opens what the config names, lets the loop play, and gives everything back."""

import contextlib
import json
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import cv2

from companion import app, demo, table
from companion.config import Config
from companion.errors import InputError
from companion.hand import DemoPlayer, TrayHand
from companion.happenings import Row, happenings
from companion.inputs import Hand, Inputs, LiveInputs, Player, RecordedInputs
from companion.log import Log, LogError
from companion.notation import halves_of
from companion.rules import RuleError
from companion.scripted import ScriptPlayer
from companion.table import Settings, Table
from companion.watch import LookWatcher, MotionWatcher, Watcher, Witness
from hardware.buttons import ScriptButtons, open_buttons
from hardware.cameras import open_camera
from hardware.displays import open_display
from hardware.ports import Camera, DeviceError
from hardware.simulated import SimulatedTray
from vision.profile import TrayProfile
from vision.profile_file import ProfileError, load_profile
from vision.read import Reader
from vision.settle import Settler

MakeProfile = Callable[[Path, Path], int]
Tell = Callable[[Row], None]

REAL_CAMERAS = ("picamera2", "v4l2")
ROLLS_FOR_PROFILE = 3


def run(config: Config, seed: int, events: str | None, make_profile: MakeProfile) -> int:
    """Plays as configured and returns the exit code; InputError when a part cannot be had."""
    try:
        with ExitStack() as parts:
            return _sit_down(config, seed, events, make_profile, parts)
    except (DeviceError, LogError, ProfileError, RuleError) as error:
        raise InputError(str(error)) from error


def _sit_down(config: Config, seed: int, events: str | None, make_profile: MakeProfile, parts: ExitStack) -> int:
    by_itself = demo.is_demo(config)
    if by_itself:
        config = demo.as_demo(config)
    tell = _teller(events, by_itself, parts)
    book = parts.enter_context(Log.open(_state_folder(config, parts)))
    at = _laid_table(config, book, tell)
    display = parts.enter_context(contextlib.closing(open_display(config.display.sink)))
    camera = parts.enter_context(contextlib.closing(_camera(config, seed, by_itself)))
    reader = Reader(_profile(config, camera, make_profile, parts))
    witness: Witness = demo.Album() if by_itself else lambda frame, reading: None
    watcher: Watcher
    if config.camera.source.startswith("folder:"):
        watcher = LookWatcher(camera, reader, witness)
    else:
        watcher = MotionWatcher(camera, Settler(reader, config.camera.rest_s), witness)
    hand: Hand = TrayHand(camera) if isinstance(camera, SimulatedTray) else lambda press, at: False
    player = _player(config, hand, by_itself, parts)
    inputs: Inputs
    if camera.live:
        inputs = parts.enter_context(contextlib.closing(LiveInputs(watcher, player, hand)))
    else:
        inputs = RecordedInputs(watcher, player, hand)
    app.play(at, inputs, book, display, tell)
    return 0


def _teller(events: str | None, by_itself: bool, parts: ExitStack) -> Tell:
    if by_itself and events is None:
        return lambda row: print(demo.sentence(row), flush=True)
    if events is None:
        return lambda row: None
    try:
        out = sys.stdout if events == "-" else parts.enter_context(open(events, "a", encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot write events to {events}: {error.strerror}") from error
    return lambda row: print(json.dumps(row, ensure_ascii=False, separators=(",", ":")), file=out, flush=True)


def _state_folder(config: Config, parts: ExitStack) -> Path:
    """Games from a recording or from virtual dice are kept only where the state folder is named."""
    folder = config.state.named
    if folder is None and config.camera.source.partition(":")[0] not in REAL_CAMERAS:
        return Path(parts.enter_context(tempfile.TemporaryDirectory(prefix="mishimash-")))
    return folder or config.state.usual


def _laid_table(config: Config, book: Log, tell: Tell) -> Table:
    """The table where the last game goes on, or with a new one when that is over or others play now."""
    settings = Settings(
        players=config.game.players,
        target_halves=halves_of(config.game.target),
        language=config.game.language,
        brightness=config.display.brightness,
        seats=config.game.players,
    )
    moment = book.moment()
    if moment and moment.game.to_play is not None and moment.game.players == settings.players:
        return table.resumed(settings, moment)
    begun = table.started(settings)
    at = table.new_table(settings)
    book.append(begun)
    for row in happenings(None, begun, at.game):
        tell(row)
    return at


def _camera(config: Config, seed: int, by_itself: bool) -> Camera:
    recorded = by_itself or config.buttons.source.startswith("script:")
    return open_camera(config.camera.source, seed=seed, real_time=not recorded)


def _profile(config: Config, camera: Camera, make_profile: MakeProfile, parts: ExitStack) -> TrayProfile | None:
    """The profile that the config names; the simulated tray is calibrated as any other, from its own pictures."""
    if config.camera.profile:
        return load_profile(config.camera.profile)
    if not isinstance(camera, SimulatedTray):
        return None
    folder = Path(parts.enter_context(tempfile.TemporaryDirectory(prefix="mishimash-")))
    twin = SimulatedTray(seed=camera.seed + 1, style=camera.style)
    pictures = {"board": twin.board_picture(), "empty": twin.empty_picture()}
    for k in range(ROLLS_FOR_PROFILE):
        twin.throw()
        while not twin.at_rest():
            twin.frame()
        pictures[f"roll-{k + 1}"] = twin.frame().image_bgr
    for name, picture in pictures.items():
        cv2.imwrite(str(folder / f"{name}.jpg"), picture)
    if make_profile(folder, folder / "profile.toml"):
        raise InputError("the simulated tray could not be calibrated")
    return load_profile(folder / "profile.toml")


def _player(config: Config, hand: Hand, by_itself: bool, parts: ExitStack) -> Player:
    if by_itself and isinstance(hand, TrayHand):
        return DemoPlayer(hand)
    buttons = parts.enter_context(contextlib.closing(open_buttons(config.buttons.source)))
    if isinstance(buttons, ScriptButtons):
        waits = hand.waits if isinstance(hand, TrayHand) else lambda at, now_s: False
        return ScriptPlayer(buttons, waits, patient=config.camera.source.startswith("video:"))
    return lambda at, now_s: buttons.presses(now_s, at.asks)
