"""The command `mishimash`: its subcommands, and the one place where errors become a line and an exit code."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from hardware.memory import keep_freed_memory

# Each module has `add_parser(commands)`; only the one that is asked for is imported, so that every command starts fast.
COMMANDS = {
    "play": "companion.play_cli",
    "read": "companion.read_cli",
    "calibrate": "calibration.cli",
    "score": "companion.score_cli",
    "replay": "companion.replay_cli",
    "rules": "companion.rules_cli",
    "history": "companion.history_cli",
    "doctor": "companion.doctor_cli",
    "status": "companion.control_cli",
    "pause-camera": "companion.control_cli",
    "resume-camera": "companion.control_cli",
    "reload": "companion.control_cli",
}


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line that ends in the way to the help."""

    def error(self, message: str) -> NoReturn:
        """Leaves with exit code 2."""
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; 0 done, 1 something in the work failed, 2 bad arguments or input, 130 on Ctrl-C."""
    keep_freed_memory()
    words = list(sys.argv[1:] if argv is None else argv)
    args = parser(words).parse_args(words)
    try:
        return int(args.run(args))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output (head, less) went away: let the interpreter's last flush go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("MISHIMASH_DEBUG"):
            raise
        foreseen = isinstance(error, _foreseen())
        what = str(error) if foreseen else f"{type(error).__name__}: {error}; MISHIMASH_DEBUG=1 shows where"
        print(f"mishimash {args.command}: {' '.join(what.split())}", file=sys.stderr)
        return _exit_code(error) if foreseen else 1


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The command line, whole as far as these words need it."""
    top = OneLineParser(
        prog="mishimash",
        description="Reads six real dice with a camera and keeps the score of MISHIMASH.",
        epilog="example: mishimash play --camera table --display terminal --buttons keyboard",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    asked = next((word for word in words if word in COMMANDS), None)
    for module in dict.fromkeys(COMMANDS.values()):
        names = [name for name, its in COMMANDS.items() if its == module]
        if asked is None or asked in names:
            import_module(module).add_parser(commands)
        else:
            for name in names:
                commands.add_parser(name)
    return top


def make_profile(folder: Path, file: Path) -> int:
    """Makes a profile from a folder of pictures with the calibration's own command; returns its exit code.

    In a process of its own: the memory that a calibration takes would stay with the game for the whole evening.
    """
    program = [sys.executable, "-P", "-c", "from companion.cli import main; raise SystemExit(main())"]
    words = ["calibrate", "from-images", str(folder), "--out", str(file)]
    return subprocess.run([*program, *words], stdout=subprocess.DEVNULL, check=False).returncode


def _exit_code(error: Exception) -> int:
    """2 for bad input; another for a service's config, so that systemd does not try again and again."""
    from companion.config import CONFIG_EXIT, ConfigError
    from hardware.notify import supervised

    return CONFIG_EXIT if isinstance(error, ConfigError) and supervised() else 2


def _foreseen() -> tuple[type[Exception], ...]:
    """The errors whose text is already a sentence for the person at the command."""
    from calibration.errors import CalibrationError
    from companion.errors import InputError
    from companion.log import LogError
    from companion.rules import RuleError
    from hardware.ports import DeviceError
    from vision.profile_file import ProfileError

    return (InputError, DeviceError, ProfileError, CalibrationError, LogError, RuleError)
