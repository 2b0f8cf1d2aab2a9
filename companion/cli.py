"""The command `mishimash`: its subcommands, and the one place where errors become a line and an exit code."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from companion import answers, read_cli
from companion.errors import InputError


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line that ends in the way to the help."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see `{self.prog} --help`\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; 0 done, 1 something in the work failed, 2 bad arguments or input, 130 on Ctrl-C."""
    args = parser().parse_args(argv)
    try:
        return int(args.run(args))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output (head, less) went away: let the interpreter's last flush go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except InputError as error:
        print(f"mishimash {args.command}: {error}", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = OneLineParser(
        prog="mishimash",
        description="Reads six real dice with a camera and keeps the score of MISHIMASH.",
        epilog="example: mishimash play --camera table --display terminal --buttons keyboard",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    read_cli.add_parser(commands)
    answers.add_parsers(commands)
    return top
