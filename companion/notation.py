"""One line of text for every record and for every state of a game: the log line, the test line and the bug report.

Parsing and printing are inverse. Names are quoted as in JSON, points are written `2` or `2.5`, faces `1 1 5`.

    start "Ana" "Bo" target=40
    rolled 1 1 2 5          rolled 1 1 2 5 confidence=0.97 corrected
    keep 1 1 then roll      join "Cyd"      leave      end      undo
    main "Ana"=21.5 "Bo"=7 target=40 plays=0 turn=4 roll=2 dice=5 clears=0 shows=11255 ended=2
"""

import json
import math
import re

from companion.game import Ended, Game, Joined, Kept, Left, Rolled, Turn
from companion.rules import Faces
from companion.timeline import Record, Started, Undone


class NotationError(ValueError):
    """A line that is not a record or a state; the text quotes it."""


def points(halves: int) -> int | float:
    """Half-points as the number people use: 5 is 2.5, 4 is 2."""
    return halves // 2 if halves % 2 == 0 else halves / 2


def halves_of(number: float) -> int:
    """Points as whole half-points; ValueError when they are no multiple of a half."""
    doubled = number * 2
    if not math.isfinite(doubled) or doubled != int(doubled):
        raise ValueError(f"points come in halves, not {number}")
    return int(doubled)


def format_record(record: Record) -> str:
    """The record as one line."""
    match record:
        case Started(players, target_halves):
            return f"start {' '.join(map(_quoted, players))} target={points(target_halves)}"
        case Rolled(faces, confidence, corrected):
            sure = "" if confidence == 1 else f" confidence={float(confidence)!r}"
            return f"rolled {_spaced(faces)}{sure}{' corrected' if corrected else ''}"
        case Kept(faces, then):
            return f"keep {_spaced(faces)} then {then}"
        case Joined(name):
            return f"join {_quoted(name)}"
        case Left():
            return "leave"
        case Ended():
            return "end"
        case Undone():
            return "undo"


QUOTED = r'"(?:[^"\\]|\\.)*"'
RECORD_FORMS = {
    "start": re.compile(rf"start ({QUOTED}(?: {QUOTED})*) target=(\S+)"),
    "rolled": re.compile(r"rolled ([1-6](?: [1-6])*)(?: confidence=(\S+))?( corrected)?"),
    "keep": re.compile(r"keep ([1-6](?: [1-6])*) then (roll|bank)"),
    "join": re.compile(rf"join ({QUOTED})"),
    "leave": re.compile(r"leave"),
    "end": re.compile(r"end"),
    "undo": re.compile(r"undo"),
}


def parse_record(line: str) -> Record:
    """The record a line stands for; NotationError when it is none."""
    word = line.split(" ", 1)[0]
    form = RECORD_FORMS.get(word)
    found = form.fullmatch(line) if form else None
    if not found:
        raise NotationError(f"not a record: {line!r}")
    try:
        match word:
            case "start":
                names = tuple(json.loads(name) for name in re.findall(QUOTED, found[1]))
                return Started(names, _halves(found[2]))
            case "rolled":
                return Rolled(_faces(found[1]), _confidence(found[2] or "1"), bool(found[3]))
            case "keep":
                return Kept(_faces(found[1]), "roll" if found[2] == "roll" else "bank")
            case "join":
                return Joined(json.loads(found[1]))
            case "leave":
                return Left()
            case "end":
                return Ended()
            case _:
                return Undone()
    except ValueError as error:
        raise NotationError(f"not a record: {line!r}") from error


def format_game(game: Game) -> str:
    """The whole state of a game as one line."""
    words: list[str] = [game.phase]
    words += [f"{_quoted(name)}={points(total)}" for name, total in zip(game.players, game.totals, strict=True)]
    words.append(f"target={points(game.target_halves)}")
    if game.to_play is not None:
        turn = game.turn
        words += [
            f"plays={game.to_play}",
            f"turn={points(turn.halves)}",
            f"roll={turn.roll_number}",
            f"dice={turn.dice}",
            f"clears={turn.clears}",
        ]
        if turn.roll:
            words.append(f"shows={''.join(map(str, turn.roll))}")
    words.append(f"ended={game.turns_ended}")
    for name, who in (
        ("coming", game.coming), ("batch", game.batch), ("gone", tuple(sorted(game.gone))), ("winners", game.winners),
    ):  # fmt: skip
        if who:
            words.append(f"{name}={','.join(map(str, who))}")
    return " ".join(words)


STATE_WORD = re.compile(rf"({QUOTED}|[a-z]+)=(\S+)")


def parse_game(line: str) -> Game:
    """The state a line stands for; NotationError when it is none."""
    try:
        phase, rest = line.split(" ", 1)
        words = STATE_WORD.findall(rest)
        if phase not in ("main", "final", "sudden_death", "over") or " ".join("=".join(w) for w in words) != rest:
            raise NotationError(f"not a game: {line!r}")
        people = [(json.loads(key), _halves(value)) for key, value in words if key.startswith('"')]
        values = {key: value for key, value in words if not key.startswith('"')}
        over = phase == "over"
        return Game(
            players=tuple(name for name, _ in people),
            target_halves=_halves(values["target"]),
            totals=tuple(total for _, total in people),
            phase=phase,  # type: ignore[arg-type]
            to_play=None if over else int(values["plays"]),
            turn=Turn(roll_number=0) if over else _turn(values),
            turns_ended=int(values["ended"]),
            coming=_indices(values.get("coming")),
            batch=_indices(values.get("batch")),
            gone=frozenset(_indices(values.get("gone"))),
            winners=_indices(values.get("winners")),
        )
    except (KeyError, ValueError) as error:
        raise NotationError(f"not a game: {line!r}") from error


def _turn(values: dict[str, str]) -> Turn:
    return Turn(
        halves=_halves(values["turn"]),
        roll_number=int(values["roll"]),
        dice=int(values["dice"]),
        clears=int(values["clears"]),
        roll=tuple(map(int, values.get("shows", ""))),
    )


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _spaced(faces: Faces) -> str:
    return " ".join(map(str, faces))


def _faces(text: str) -> Faces:
    return tuple(map(int, text.split()))


def _halves(text: str) -> int:
    return halves_of(float(text))


def _confidence(text: str) -> float:
    confidence = float(text)
    if not 0 <= confidence <= 1:
        raise ValueError(f"a confidence is between 0 and 1, not {text}")
    return confidence


def _indices(text: str | None) -> tuple[int, ...]:
    return tuple(map(int, text.split(","))) if text else ()
