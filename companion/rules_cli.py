"""The command `mishimash rules`: the rules of the game in five languages."""

import argparse

from companion.words import LANGUAGES, rules_text


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `rules` to the command line."""
    rules = commands.add_parser("rules", help="the rules of the game", epilog="example: mishimash rules --lang pl")
    rules.add_argument("--lang", choices=LANGUAGES, default="en", help="English, German, French, Spanish or Polish")
    rules.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the rules."""
    print(rules_text(args.lang).rstrip())
    return 0
