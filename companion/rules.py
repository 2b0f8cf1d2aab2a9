"""What one roll is worth in MISHIMASH: its groups, the selections a player may keep, and their points.

Points come in halves, so every amount here is a whole number of half-points. A roll is any sequence of one to six
faces; the order of its dice never matters.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product

Faces = tuple[int, ...]

DICE = 6
FACES = (1, 2, 3, 4, 5, 6)

SINGLE, TRIPLE, FOUR, FIVE, SIX, STRAIGHT, THREE_PAIRS = (
    "single", "triple", "four", "five", "six", "straight", "three_pairs",
)  # fmt: skip
SAME_FACE_NAMES = {3: TRIPLE, 4: FOUR, 5: FIVE, 6: SIX}

SINGLE_HALVES = {1: 2, 5: 1}
TRIPLE_HALVES = {1: 20, 2: 4, 3: 6, 4: 8, 5: 10, 6: 12}
STRAIGHT_HALVES = 30
THREE_PAIRS_HALVES = 20
MISHIMASH_HALVES = 20


class RuleError(ValueError):
    """Something the rules do not allow; the text can be shown to a player."""


@dataclass(frozen=True, slots=True)
class Group:
    """Dice that score together and are kept or left together."""

    name: str
    dice: Faces
    halves: int

    @property
    def face(self) -> int | None:
        """The face all dice show, None for a straight and three pairs."""
        return None if self.name in (STRAIGHT, THREE_PAIRS) else self.dice[0]


@dataclass(frozen=True, slots=True)
class Selection:
    """A set of groups to keep: their dice, sorted, and their half-points before the multiplier."""

    dice: Faces
    halves: int
    clears: bool


def roll_of(faces: Iterable[int]) -> Faces:
    """The faces sorted; RuleError unless they are one to six faces from 1 to 6."""
    roll = tuple(sorted(faces))
    if not 1 <= len(roll) <= DICE:
        raise RuleError(f"a roll has one to six dice, not {len(roll)}")
    for face in roll:
        if face not in FACES:
            raise RuleError(f"a die shows 1 to 6, not {face}")
    return roll


def groups(faces: Iterable[int]) -> tuple[Group, ...]:
    """The one decomposition of a roll into scoring groups, none for a bust."""
    return _groups(roll_of(faces))


def selections(faces: Iterable[int]) -> tuple[Selection, ...]:
    """Every distinct selection of a roll, most points first, then fewer dice; none for a bust."""
    return _selections(roll_of(faces))


def is_bust(faces: Iterable[int]) -> bool:
    """Whether a roll has no group at all."""
    return not groups(faces)


def selection_of(faces: Iterable[int], kept: Iterable[int]) -> Selection:
    """The selection that keeps exactly these dice; RuleError says why there is none."""
    roll, wanted = roll_of(faces), tuple(sorted(kept))
    for selection in _selections(roll):
        if selection.dice == wanted:
            return selection
    raise RuleError(f"cannot keep {_spaced(wanted)} from {_spaced(roll)}: {_why_not(roll, wanted)}")


def bonus_halves(clears_before: int) -> int:
    """The bonus of a turn's next MISHIMASH, after `clears_before` earlier ones: 10 points, 20, 30, …"""
    return MISHIMASH_HALVES * (clears_before + 1)


def turn_halves(selection: Selection, roll_number: int, clears_before: int) -> int:
    """What keeping a selection adds to the turn: its points × the roll's number, plus the bonus when it clears."""
    return selection.halves * roll_number + (bonus_halves(clears_before) if selection.clears else 0)


@cache
def _groups(roll: Faces) -> tuple[Group, ...]:
    counts = {face: roll.count(face) for face in FACES}
    if roll == FACES:
        return (Group(STRAIGHT, roll, STRAIGHT_HALVES),)
    if sorted(counts.values()) == [0, 0, 0, 2, 2, 2]:
        return (Group(THREE_PAIRS, roll, THREE_PAIRS_HALVES),)
    found: list[Group] = []
    for face, count in counts.items():
        if count >= 3:
            found.append(Group(SAME_FACE_NAMES[count], (face,) * count, TRIPLE_HALVES[face] * (count - 2)))
        elif face in SINGLE_HALVES:
            found += [Group(SINGLE, (face,), SINGLE_HALVES[face])] * count
    return tuple(found)


@cache
def _selections(roll: Faces) -> tuple[Selection, ...]:
    by_dice: dict[Faces, Selection] = {}
    found = _groups(roll)
    for chosen in product((True, False), repeat=len(found)):
        kept = [group for group, keep in zip(found, chosen, strict=True) if keep]
        if kept:
            dice = tuple(sorted(face for group in kept for face in group.dice))
            by_dice[dice] = Selection(dice, sum(group.halves for group in kept), clears=len(dice) == len(roll))
    # The selection that clears holds all groups, so this order is that of the turn points at every multiplier.
    return tuple(sorted(by_dice.values(), key=lambda s: (-s.halves, len(s.dice), s.dice)))


def _why_not(roll: Faces, wanted: Faces) -> str:
    if not wanted:
        return "keep at least one group"
    for face in wanted:
        if wanted.count(face) > roll.count(face):
            return f"the roll has {roll.count(face)} of face {face}, not {wanted.count(face)}"
    scoring = [face for group in _groups(roll) for face in group.dice]
    for face in wanted:
        if face not in scoring:
            return f"face {face} scores nothing in this roll"
    return "that splits a group, and groups are kept whole"


def _spaced(faces: Faces) -> str:
    return " ".join(map(str, faces)) or "nothing"
