"""Follows the dice of one roll from reading to reading: which stayed, were lifted, put back, pushed or turned over."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from vision.reading import Die

# Lengths in die edges. Two readings of a resting die differ by less than STILL; a centre within SAME_PLACE can only be
# that place, dice do not overlap; a die pushed aside by a finger stays within PUSHED.
STILL, SAME_PLACE, PUSHED = 0.2, 0.5, 0.75
STILL_DEG = 15.0


@dataclass(frozen=True, slots=True)
class Followed:
    """One die of the roll: `die` as last seen, `face` as the game holds it (None: it was not in the roll), and
    whether it still lies in the tray."""

    die: Die
    face: int | None
    there: bool = True


def follow(dice: Sequence[Die]) -> tuple[Followed, ...]:
    """The dice of a new roll, in the reading's order."""
    return tuple(Followed(die, die.face) for die in dice)


def agree(some: Sequence[Die], others: Sequence[Die]) -> bool:
    """Whether two readings of a tray at rest show the same faces at the same places."""
    return len(some) == len(others) and _covers(some, others, SAME_PLACE)


def thrown(followed: Sequence[Followed], dice: Sequence[Die], awaited: bool) -> bool:
    """Whether `dice` are a new roll: the tray was empty before, or no die stayed where it was.

    Unless a roll is `awaited`, dice that lie close by with their faces unchanged were only pushed.
    """
    before = [one.die for one in followed if one.there]
    if not dice or any(_still(then, now) for then, now in product(before, dice)):
        return False
    return awaited or not _covers(dice, before, PUSHED)


def update(followed: Sequence[Followed], dice: Sequence[Die]) -> tuple[tuple[Followed, ...], bool]:
    """The followed dice as they lie now, and whether one of them shows another face or is a stranger.

    Each die seen is taken for the followed die at its place; else for one with its face, rather in the tray than
    lifted; else for any that is left over. A die that no followed one is left for is a stranger.
    """
    claims = sorted(
        (_claim(one, die), _distance(one.die, die), which, seen)
        for (which, one), (seen, die) in product(enumerate(followed), enumerate(dice))
    )
    seen_as: dict[int, int] = {}
    for _, _, which, seen in claims:
        if which not in seen_as and seen not in seen_as.values():
            seen_as[which] = seen
    now = [
        replace(one, die=dice[seen_as[which]], there=True) if which in seen_as else replace(one, there=False)
        for which, one in enumerate(followed)
    ]
    strangers = [Followed(die, None) for seen, die in enumerate(dice) if seen not in seen_as.values()]
    turned = any(followed[which].die.face != dice[seen].face for which, seen in seen_as.items())
    return (*now, *strangers), turned or bool(strangers)


def taken(followed: Sequence[Followed]) -> tuple[int, ...]:
    """The faces lifted out so far, as the game holds them, sorted."""
    return tuple(sorted(one.face for one in followed if not one.there and one.face is not None))


def hold(followed: Sequence[Followed], faces: Sequence[int]) -> tuple[Followed, ...]:
    """The same dice with the faces that the game holds for them now, when these are as many.

    Each die keeps its face if it can; one turned over takes the face it shows; what is left over goes to the others.
    """
    roll = [which for which, one in enumerate(followed) if one.face is not None]
    free = Counter(faces)
    if len(faces) != len(roll) or free == Counter(followed[which].face for which in roll):
        return tuple(followed)
    untouched_first = sorted(roll, key=lambda which: followed[which].face != followed[which].die.face)
    held: dict[int, int] = {}
    for which, face in (
        *((which, followed[which].face) for which in untouched_first),
        *((which, followed[which].die.face) for which in roll),
        *product(roll, faces),
    ):
        if which not in held and face is not None and free[face]:
            held[which] = face
            free[face] -= 1
    return tuple(replace(one, face=held.get(which)) for which, one in enumerate(followed))


def _claim(one: Followed, die: Die) -> int:
    if one.there and _distance(one.die, die) < SAME_PLACE:
        return 0
    same_face = one.die.face == die.face
    return {(True, True): 1, (True, False): 2, (False, True): 3, (False, False): 4}[same_face, one.there]


def _still(then: Die, now: Die) -> bool:
    turn_deg = abs((now.angle_deg - then.angle_deg + 45) % 90 - 45)
    return then.face == now.face and _distance(then, now) < STILL and turn_deg < STILL_DEG


def _covers(some: Sequence[Die], others: Sequence[Die], within: float) -> bool:
    """Whether each of `some` has one of `others` to itself, with its face and within so many edges of it."""
    free = list(others)
    for die in some:
        near = [other for other in free if other.face == die.face and _distance(other, die) < within]
        if not near:
            return False
        free.remove(min(near, key=lambda other: _distance(other, die)))
    return True


def _distance(one: Die, other: Die) -> float:
    """Between the centres, in die edges."""
    return math.hypot(one.x_px - other.x_px, one.y_px - other.y_px) / max(one.size_px, other.size_px)
