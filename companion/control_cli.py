"""The commands `status`, `pause-camera`, `resume-camera` and `reload`: questions to the running service."""

import argparse
import json
import time

from companion.errors import InputError
from hardware.control import WORDS, Answer, ask
from hardware.ports import DeviceError

HELP = {
    "status": "what the running service does: the game, its devices, the last readings",
    "pause-camera": "ask the running service to let go of the camera",
    "resume-camera": "give the camera back to the running service",
    "reload": "ask the running service to read its config and profile again",
}
WATCH_S = 1.0


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds a command for each thing the service may be asked."""
    for word in WORDS:
        command = commands.add_parser(word, help=HELP[word], epilog=f"example: sudo mishimash {word}")
        command.add_argument("--json", action="store_true", help="one JSON object a line")
        command.set_defaults(run=run, watch=False)
        if word == "status":
            command.add_argument("--watch", action="store_true", help="again each second, until Ctrl-C")


def run(args: argparse.Namespace) -> int:
    """Asks, prints the answer, and with --watch asks again."""
    while True:
        try:
            answer = ask(args.command)
        except DeviceError as error:
            raise InputError(str(error)) from error
        print(json.dumps(answer) if args.json else as_text(answer) + "\n" * args.watch, flush=True)
        if not args.watch:
            return 0
        time.sleep(WATCH_S)


def as_text(answer: Answer, indent: str = "") -> str:
    """An answer as lines a person reads: a name and its value, what belongs to a name indented below it."""
    lines = []
    for name, value in answer.items():
        if isinstance(value, dict):
            lines += [f"{indent}{name}:", as_text(value, indent + "  ")]
        else:
            parts = value if isinstance(value, list) else [value]
            lines.append(f"{indent}{name}: {', '.join(_part(part) for part in parts)}")
    return "\n".join(lines)


def _part(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name} {_part(part)}" for name, part in value.items())
    if isinstance(value, list):
        return " ".join(map(_part, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)
