"""The command `mishimash history`: what was played before, and whether the dice are fair."""

import argparse
import contextlib
import csv
import json
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from companion.config import Config, load_config
from companion.errors import InputError
from companion.history import PlayedGame, export_rows, played_games, player_records
from companion.history_dice import LEAST_DICE, dice_report
from companion.history_plot import picture, terminal_bars
from companion.log_file import FILE_NAME, Unfit, copy_in_memory, entries
from companion.narration import sentence
from companion.notation import NotationError, points
from companion.rules import RuleError

CSV_COLUMNS = (
    "game", "number", "at", "undone", "event", "player", "values", "roll_number", "confidence", "corrected", "colours",
    "points", "turn_points", "then", "bonus", "lost", "total", "phase", "players", "target", "winner", "winners",
    "totals",
)  # fmt: skip


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `history` to the command line."""
    history = commands.add_parser(
        "history",
        help="games played before, players' records, and whether the dice are fair",
        epilog="example: mishimash history · mishimash history 3 · mishimash history dice --png dice.png · "
        "mishimash history export --csv > games.csv",
    )
    history.add_argument(
        "what", nargs="?", default="games", metavar="GAME|dice|export",
        help="a game's number to read it again, `dice` for the counts of faces, `export` for everything",
    )  # fmt: skip
    history.add_argument("--state-dir", metavar="DIR", help="where games are kept")
    history.add_argument("--config", metavar="FILE", help="the config that names where games are kept")
    form = history.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="with export: a table for spreadsheets")
    form.add_argument("--json", action="store_true", help="with export: one JSON object a line")
    history.add_argument("--png", metavar="FILE", help="with dice: the plot as a picture")
    history.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what is asked for from the log of a state folder, which may be in use."""
    if (args.csv or args.json) != (args.what == "export"):
        raise InputError("`history export` goes with --csv or --json, and they go with nothing else")
    if args.png and args.what != "dice":
        raise InputError("--png goes with `history dice`")
    state_dir = _state_dir(args)
    games = read_games(state_dir)
    match args.what:
        case "games":
            print("\n".join(_overview(games, state_dir)))
        case "dice":
            _print_dice(games, args.png)
        case "export" if args.csv:
            _write_csv(games)
        case "export":
            for row in export_rows(games):
                print(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
        case number:
            print("\n".join(_story(_game_numbered(games, number))))
    return 0


def read_games(state_dir: Path) -> list[PlayedGame]:
    """All games of a state folder; InputError when it has none that can be read."""
    path, games = state_dir / FILE_NAME, []
    try:
        if path.exists():
            with contextlib.closing(copy_in_memory(path)) as db:
                games = played_games(entries(db))
    except OSError as error:
        raise InputError(f"cannot look into {state_dir}: {error.strerror}; run this as the user who plays") from error
    except (Unfit, NotationError, RuleError, sqlite3.Error) as error:
        raise InputError(f"{path} cannot be read as a game log: {error}; if it is damaged, the next `mishimash play` "
                         "moves it aside and begins a new one") from error
    if not games:
        raise InputError(f"no games are kept in {state_dir}; play one first, or name the folder with --state-dir")
    return games


def _state_dir(args: argparse.Namespace) -> Path:
    if args.state_dir:
        return Path(args.state_dir).expanduser()
    state = (load_config(args.config) if args.config else Config()).state
    return state.named or state.usual


def _overview(games: Sequence[PlayedGame], state_dir: Path) -> list[str]:
    many = "1 game" if len(games) == 1 else f"{len(games)} games"
    lines = [f"{many} in {state_dir}", ""]
    rows: list[tuple[str, ...]] = [("game", "began", "turns", "players", "result")]
    rows += [
        (str(game.number), _readable(game.began_at), str(game.game.turns_ended), _totals(game), _result(game))
        for game in games
    ]
    lines += _table(rows, right=(0, 2))
    rows = [("player", "games", "won", "turns", "points a turn", "busts", "MISHIMASHes", "best turn", "longest turn")]
    for record in player_records(games):
        busts = f"{record.busts} ({100 * record.busts / record.turns:.0f} %)" if record.turns else "0"
        rolls = f"{record.longest_turn} roll{'s' * (record.longest_turn != 1)}"
        rows.append(
            (record.name, str(record.games), str(record.won), str(record.turns), f"{record.points_a_turn:.1f}", busts,
             str(record.mishimashes), str(record.best_turn), rolls)
        )  # fmt: skip
    return [*lines, "", *_table(rows, right=range(1, 9))]


def _story(game: PlayedGame) -> Iterable[str]:
    yield f"Game {game.number}, begun {_readable(game.began_at)}"
    for told in game.told:
        for row in told.rows:
            yield sentence(row)
    if game.game.to_play is not None:
        yield f"It stands at {_totals(game)}."


def _game_numbered(games: Sequence[PlayedGame], number: str) -> PlayedGame:
    if number.isdecimal() and 1 <= int(number) <= len(games):
        return games[int(number) - 1]
    raise InputError(f"no game {number!r}: there are games 1 to {len(games)}; or ask for `dice` or `export`")


def _print_dice(games: Sequence[PlayedGame], png: str | None) -> None:
    report = dice_report(games)
    kinds = (report.everything, *report.by_colour)
    for kind in kinds:
        print(f"{kind.name}: {kind.dice} dice")
        print("\n".join(terminal_bars(kind)))
        if kind.dice >= LEAST_DICE:
            print(f"  chi-square {kind.chi_square:.2f} with 5 degrees of freedom, p = {kind.p_value:.3g}")
        print(f"  {kind.verdict()}\n")
    print(f"{report.rolls} rolls, {report.corrected} of them corrected by a person ({report.corrected_share:.2%})")
    if png:
        try:
            picture(kinds).save(png, format="PNG")
        except OSError as error:
            raise InputError(f"cannot write the plot to {png}: {error.strerror or error}") from error


def _write_csv(games: Sequence[PlayedGame]) -> None:
    writer = csv.DictWriter(sys.stdout, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in export_rows(games):
        writer.writerow({name: _cell(value) for name, value in row.items()})


def _cell(value: object) -> object:
    if isinstance(value, list):
        return " ".join(map(str, value)) if all(isinstance(item, int) for item in value) else ", ".join(value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    return value


def _totals(game: PlayedGame) -> str:
    people = zip(game.game.players, game.game.totals, strict=True)
    return ", ".join(f"{name} {points(total)}" for name, total in people)


def _result(game: PlayedGame) -> str:
    state = game.game
    if state.to_play is not None:
        return f"{state.players[state.to_play]} to play"
    return f"{' and '.join(state.players[i] for i in state.winners) or 'nobody'} won"


def _readable(at: str) -> str:
    return at[:16].replace("T", " ")


def _table(rows: Sequence[Sequence[str]], right: Iterable[int]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    to_right = set(right)
    return [
        "  ".join(
            cell.rjust(width) if i in to_right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
