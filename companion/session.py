"""One sitting at the table: opens what the config names, lets the loop play, and gives everything back."""

import json
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TextIO

from companion import app, demo, screens, table
from companion.config import Config
from companion.demo import MakeProfile
from companion.devices import oled_settings, pi_settings, wiring
from companion.errors import InputError
from companion.fitted import FittedCamera
from companion.hand import DemoPlayer, TrayHand
from companion.happenings import happenings
from companion.inputs import Hand, Inputs, LiveInputs, Player, RecordedInputs, still_looking
from companion.log import Log
from companion.narration import sentence
from companion.pressing import ButtonPlayer
from companion.scripted import ScriptPlayer
from companion.service import Service
from companion.settings import settings_of
from companion.table import Table
from companion.table_state import Off
from companion.watch import LookWatcher, MotionWatcher, Watcher, Witness
from hardware.buttons import ScriptButtons, open_buttons
from hardware.cameras import open_camera
from hardware.displays import open_display
from hardware.notify import supervised
from hardware.ports import Buttons, Camera, DeviceError
from hardware.reviving import RevivingCamera
from hardware.simulated import SimulatedTray
from vision.motion import tray_blocks
from vision.profile import TrayProfile
from vision.profile_file import ProfileError, load_profile
from vision.read import Reader
from vision.settle import Settler

REAL_CAMERAS = ("picamera2", "v4l2")

logger = logging.getLogger("mishimash")


def run(
    config: Config,
    *,
    asked: frozenset[str] = frozenset(),
    events: str | None = None,
    seed: int = 0,
    make_profile: MakeProfile,
    check_config: Callable[[], Config],
) -> int:
    """Plays as configured and returns the exit code; the errors of its parts when one cannot be had.

    `asked`: which of players, target and language an option named; they count more than what was chosen in the menu,
    and a game of other players than asked for is not gone on with. `events`: where JSON rows go, a file or "-".
    `check_config` raises when the config as it is on disk now cannot be used.
    """
    with ExitStack() as parts:
        service = parts.enter_context(Service(check_config))
        by_itself = demo.is_demo(config)
        if by_itself:
            config = demo.as_demo(config)
        tell = _teller(events, by_itself, parts)
        book = parts.enter_context(Log.open(_state_folder(config, parts)))
        at = _laid_table(config, asked, book, tell)
        if book.notice:
            at, _ = table.step(at, table.LogAnew())
        display = parts.enter_context(closing(open_display(config.display.sink, oled=oled_settings(config.display))))
        buttons = None if by_itself else _buttons(config, parts, service)
        # Camera and profile take their time; nobody should look at a dark display meanwhile, or press in vain.
        display.show(screens.picture(at, display.size_px), at.brightness)
        service.troubles["display"] = lambda: display.trouble
        looking = True
        while looking:
            with ExitStack() as optics:
                inputs = _inputs(config, by_itself, buttons, seed, make_profile, service, optics)
                at = app.play(at, inputs, book, display, tell)
            # A new profile needs camera and reader anew, but neither the process nor the game, display or buttons.
            looking = service.takes_over(config)
        if config.display.off_text:
            display.show(screens.picture(at.with_scene(Off()), display.size_px), at.brightness)
    code = service.exit_code(at)
    if supervised() and still_looking():
        # All that is ours is closed. picamera2 would go on at the interpreter's end to wait for what does not come.
        os._exit(code)
    return code


def _inputs(
    config: Config,
    by_itself: bool,
    buttons: Buttons | None,
    seed: int,
    make_profile: MakeProfile,
    service: Service,
    optics: ExitStack,
) -> Inputs:
    """What camera and buttons give, seen with the profile as it is on disk now."""
    recorded = by_itself or config.buttons.source.startswith("script:")
    profile = _profile(config, service)
    camera = optics.enter_context(closing(_camera(config, profile, seed, real_time=not recorded)))
    if isinstance(camera, RevivingCamera):
        service.troubles["camera"] = lambda: camera.trouble
    if isinstance(camera, SimulatedTray) and profile is None:
        profile = demo.calibrated(camera, make_profile)
    witness: Witness = demo.Album() if by_itself else lambda frame, reading: None
    watcher = service.watched(_watcher(config, camera, profile, witness))
    hand: Hand = TrayHand(camera) if isinstance(camera, SimulatedTray) else lambda press, at: False
    player = _player(config, hand, by_itself, buttons)
    inputs: Inputs
    if camera.live:
        inputs = optics.enter_context(closing(LiveInputs(watcher, player, hand)))
    else:
        inputs = RecordedInputs(watcher, player, hand)
    return service.asked(inputs, camera)


def _teller(events: str | None, by_itself: bool, parts: ExitStack) -> app.Tell:
    if events is None:
        if supervised():
            return lambda row: logger.info(sentence(row))
        return (lambda row: print(sentence(row), flush=True)) if by_itself else (lambda row: None)
    try:
        out = sys.stdout if events == "-" else parts.enter_context(_appending(Path(events)))
    except OSError as error:
        raise InputError(f"cannot write events to {events}: {error.strerror}") from error
    return lambda row: print(json.dumps(row, ensure_ascii=False, separators=(",", ":")), file=out, flush=True)


def _camera(config: Config, profile: TrayProfile | None, seed: int, real_time: bool) -> Camera:
    """The camera; a service whose camera cannot be had says so on the display and tries again."""

    def opened() -> Camera:
        pi = pi_settings(config.camera, profile)
        return open_camera(config.camera.source, pi=pi, seed=seed, real_time=real_time)

    try:
        return opened()
    except DeviceError as error:
        if not supervised():
            raise
        logger.error("%s", error)
        return RevivingCamera(opened)


def _appending(path: Path) -> TextIO:
    return path.open("a", encoding="utf-8")


def _state_folder(config: Config, parts: ExitStack) -> Path:
    """Games from a recording or with virtual dice are kept only where a state folder is named."""
    folder = config.state.named
    if folder is None and config.camera.source.partition(":")[0] not in REAL_CAMERAS:
        return Path(parts.enter_context(tempfile.TemporaryDirectory(prefix="mishimash-")))
    return folder or config.state.usual


def _laid_table(config: Config, asked: frozenset[str], book: Log, tell: app.Tell) -> Table:
    """The table where the last game goes on, or with a new one when that is over or others play now."""
    settings, moment = settings_of(config, asked, book.choices()), book.moment()
    others = moment and "players" in asked and moment.game.players != settings.players
    if moment and moment.game.to_play is not None and not others:
        return table.resumed(settings_of(config, asked, book.choices(), moment.game), moment)
    begun = table.started(settings)
    book.append(begun)
    at = table.new_table(settings)
    for row in happenings(None, begun, at.game):
        tell(row)
    return at


def _profile(config: Config, service: Service) -> TrayProfile | None:
    """The tray's profile, None where there is none; a service that cannot use its own says so and reads without."""
    usual = config.state.profile
    real = config.camera.source.partition(":")[0] in REAL_CAMERAS
    if file := config.camera.profile or (str(usual) if real and usual.is_file() else ""):
        try:
            return load_profile(file, camera=_camera_name(config.camera.source))
        except ProfileError as error:
            if not supervised():
                raise
            logger.error("%s", error)
            trouble = str(error)
            service.troubles["profile"] = lambda: trouble
    return None


def _camera_name(source: str) -> str | None:
    """What a profile must be made with for this source; None for a recording of any camera, or one that names itself.

    The Pi's camera does that: which sensor it is shows only when it is open, and then it is compared.
    """
    return source if source == "table" or source.startswith("v4l2:") else None


def _watcher(config: Config, camera: Camera, profile: TrayProfile | None, witness: Witness) -> Watcher:
    reader = Reader(profile)
    if profile:
        camera = FittedCamera(camera, profile)
    if config.camera.source.startswith("folder:"):
        return LookWatcher(camera, reader, witness)
    watched = tray_blocks(profile) if profile else None
    return MotionWatcher(camera, Settler(reader, config.camera.rest_s, watched), witness)


def _buttons(config: Config, parts: ExitStack, service: Service) -> Buttons | None:
    """The buttons; a service goes on without them when they cannot be had."""
    try:
        return parts.enter_context(closing(open_buttons(config.buttons.source, wiring(config.buttons))))
    except DeviceError as error:
        if not supervised():
            raise
        logger.error("%s", error)
        trouble = str(error)
        service.troubles["buttons"] = lambda: trouble
        return None


def _player(config: Config, hand: Hand, by_itself: bool, buttons: Buttons | None) -> Player:
    if by_itself and isinstance(hand, TrayHand):
        return DemoPlayer(hand)
    if buttons is None:
        return lambda at, now_s: ()
    if isinstance(buttons, ScriptButtons):
        waits = hand.waits if isinstance(hand, TrayHand) else lambda at, now_s: False
        return ScriptPlayer(buttons, waits, patient=config.camera.source.startswith("video:"))
    return ButtonPlayer(buttons)
