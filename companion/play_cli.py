"""The command `mishimash play`: what config and options ask for becomes a table, its devices and its log."""

import argparse
from dataclasses import replace
from pathlib import Path

from companion.config import Config, load_config
from companion.errors import InputError
from companion.notation import halves_of
from companion.words import LANGUAGES


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `play` to the command line."""
    play = commands.add_parser(
        "play",
        help="keep the score at the table: the main job",
        epilog="example: mishimash play --camera table --display terminal --buttons keyboard --players Ana,Bo",
    )
    play.add_argument("--config", type=Path, metavar="FILE", help="the owner's settings; options here come first")
    play.add_argument("--profile", metavar="FILE", help="the tray's profile, made by `mishimash calibrate`")
    play.add_argument("--camera", metavar="SOURCE", help="picamera2, table, folder:DIR, video:FILE or v4l2:N")
    play.add_argument("--display", metavar="SINK", help="oled, terminal or png:DIR")
    play.add_argument("--buttons", metavar="SOURCE", help="gpio, keyboard or script:FILE")
    play.add_argument("--players", metavar="A,B", help="names, in the order of play")
    play.add_argument("--target", type=_points, metavar="N", help="points that end the game")
    play.add_argument("--lang", choices=LANGUAGES)
    play.add_argument("--state-dir", metavar="DIR", help="where games are kept")
    play.add_argument("--events", metavar="FILE|-", help="write a JSON line for each thing that happens")
    play.add_argument("--seed", type=int, default=0, metavar="N", help="of the simulated tray: which dice it rolls")
    play.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays until the end of a recording or script, Ctrl-C or power off."""
    config = _configured(args)
    options = {"players": args.players, "target": args.target, "language": args.lang}
    # Imported here: the other commands answer without waiting for OpenCV and Pillow.
    from companion import cli, session

    return session.run(
        config,
        asked=frozenset(name for name, option in options.items() if option is not None),
        events=args.events,
        seed=args.seed,
        make_profile=cli.make_profile,
        check_config=lambda: _configured(args),
    )


def _configured(args: argparse.Namespace) -> Config:
    return _asked(load_config(args.config) if args.config else Config(), args)


def _points(text: str) -> float:
    try:
        number = float(text)
        if halves_of(number) > 0:
            return number
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"expected points above 0, whole or half, not {text!r}")


def _asked(config: Config, args: argparse.Namespace) -> Config:
    """The config with what the options say instead."""
    game, camera = config.game, config.camera
    if args.players is not None:
        game = replace(game, players=tuple(name.strip() for name in args.players.split(",")))
    if args.target is not None:
        game = replace(game, target=args.target)
    if args.lang:
        game = replace(game, language=args.lang)
    if args.camera:
        camera = replace(camera, source=args.camera)
    if args.profile:
        if not Path(args.profile).is_file():
            raise InputError(f"no profile at {args.profile}: name one, or make it with `mishimash calibrate`")
        camera = replace(camera, profile=args.profile)
    display = replace(config.display, sink=args.display) if args.display else config.display
    buttons = replace(config.buttons, source=args.buttons) if args.buttons else config.buttons
    state = replace(config.state, dir=args.state_dir) if args.state_dir else config.state
    return replace(config, game=game, camera=camera, display=display, buttons=buttons, state=state)
