"""Are my dice fair: how often each face was rolled, and how likely chance alone is to be that uneven."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from companion.game import Rolled
from companion.history import PlayedGame
from companion.rules import FACES

# The chi-square distribution fits counts well from five expected of each face on.
LEAST_DICE = 5 * len(FACES)


@dataclass(frozen=True, slots=True)
class FaceCounts:
    """How many dice of a kind showed each face, 1 to 6 in order."""

    name: str
    counts: tuple[int, ...]

    @property
    def dice(self) -> int:
        """How many dice were counted."""
        return sum(self.counts)

    @property
    def chi_square(self) -> float:
        """Pearson's statistic against six equally likely faces; 0 without dice."""
        expected = self.dice / len(FACES)
        return sum((count - expected) ** 2 for count in self.counts) / expected if expected else 0.0

    @property
    def p_value(self) -> float:
        """How likely fair dice are to be at least this uneven, 0 to 1."""
        return p_value_of_chi_square(self.chi_square)

    def verdict(self) -> str:
        """The test in plain words."""
        if self.dice < LEAST_DICE:
            return f"too few dice to say: {self.dice}, and the test needs {LEAST_DICE}"
        p = self.p_value
        often = f"fair dice are this uneven in {_percent(p)} of such samples"
        if p >= 0.05:
            return f"nothing speaks against fair dice: {often}"
        if p >= 0.001:
            return f"somewhat uneven, which chance may still be: {often}; count more dice before you judge"
        return f"uneven beyond chance: {often}"


@dataclass(frozen=True, slots=True)
class DiceReport:
    """The counts of all dice and of each colour that was told apart, and how many rolls a person had to correct."""

    everything: FaceCounts
    by_colour: tuple[FaceCounts, ...]
    rolls: int
    corrected: int

    @property
    def corrected_share(self) -> float:
        """The share of rolls that a person corrected, 0 to 1."""
        return self.corrected / self.rolls if self.rolls else 0.0


def dice_report(games: Iterable[PlayedGame]) -> DiceReport:
    """What the rolls that still stand say about the dice."""
    counts = [0] * len(FACES)
    of_colour: defaultdict[str, list[int]] = defaultdict(lambda: [0] * len(FACES))
    rolls = corrected = 0
    for game in games:
        for told in game.told:
            record = told.entry.record
            if not (told.stands and isinstance(record, Rolled)):
                continue
            rolls += 1
            corrected += record.corrected
            for face in record.faces:
                counts[face - 1] += 1
            if len(told.entry.colours) == len(record.faces):
                for face, colour in zip(record.faces, told.entry.colours, strict=True):
                    if colour:
                        of_colour[colour][face - 1] += 1
    by_colour = tuple(FaceCounts(colour, tuple(of_colour[colour])) for colour in sorted(of_colour))
    return DiceReport(FaceCounts("all dice", tuple(counts)), by_colour, rolls, corrected)


def p_value_of_chi_square(statistic: float) -> float:
    """P(X ≥ statistic) for chi-square with 5 degrees of freedom.

    The regularized upper incomplete gamma function Q(5/2, x/2), which has this closed form (DLMF 8.4.6 and 8.8.2).
    """
    half = statistic / 2
    return math.erfc(math.sqrt(half)) + math.exp(-half) * math.sqrt(half / math.pi) * (2 + 4 * half / 3)


def _percent(share: float) -> str:
    if share < 0.0001:
        return "fewer than 0.01 %"
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"
