"""What the screens say, one file a language, and the rules of the game in each."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

LANGUAGES = ("en", "de", "fr", "es", "pl")

SEAT = re.compile(r"Player ([0-9]+)")

Entry = str | dict[str, str]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language, by key."""

    language: str
    entries: MappingProxyType[str, Entry]

    def say(self, key: str, n: int = 0, **values: str | int) -> str:
        """The text of a key with values filled in; texts with plural forms take the one for `n`."""
        entry = self.entries[key]
        text = entry if isinstance(entry, str) else entry[plural_form(self.language, n)]
        return text.format(n=n, **values)

    def points(self, halves: int) -> str:
        """Half-points as people write them: 4 is `2`, 5 is `2.5` or `2,5`."""
        whole, half = divmod(halves, 2)
        return f"{whole}{self.say('decimal_mark')}5" if half else str(whole)

    def called(self, player: str) -> str:
        """A player's name, but `Player 3`, which means a seat without one, as that is said in this language."""
        seat = SEAT.fullmatch(player)
        return self.say("player", number=seat[1]) if seat else player


@cache
def words(language: str) -> Words:
    """The words of a language; KeyError when there is no such language."""
    if language not in LANGUAGES:
        raise KeyError(f"no words in {language!r}; there are {', '.join(LANGUAGES)}")
    entries = tomllib.loads((files(__name__) / f"{language}.toml").read_text(encoding="utf-8"))
    return Words(language, MappingProxyType(entries))


def rules_text(language: str) -> str:
    """The rules of the game on about a page, in a language's own terms."""
    return (files(__name__) / f"rules.{language}.txt").read_text(encoding="utf-8")


def plural_form(language: str, n: int) -> str:
    """The plural form that a number of things takes: one, few or other (Unicode CLDR, whole numbers)."""
    if language == "pl":
        few = n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14)
        return "one" if n == 1 else "few" if few else "other"
    one = n in (0, 1) if language == "fr" else n == 1
    return "one" if one else "other"
