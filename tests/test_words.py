"""The words of the screens in five languages."""

import re
import string

import pytest

from companion.fonts import HEIGHTS_PX, font
from companion.words import LANGUAGES, Words, plural_form, rules_text, words

ENGLISH = words("en")
TERMS = {
    "bank": ("BANK", "SICHERN", "VALIDER", "GUARDAR", "ZAPISZ"),
    "roll_again": ("ROLL AGAIN", "WÜRFLE ERNEUT", "RELANCE", "VUELVE A TIRAR", "RZUĆ PONOWNIE"),
    "straight": ("Straight", "Straße", "Suite", "Escalera", "Strit"),
    "three_pairs": ("Three Pairs", "Drei Paare", "Trois paires", "Tres parejas", "Trzy pary"),
    "final_round": ("Final Round", "Finalrunde", "Manche finale", "Ronda final", "Runda finałowa"),
    "sudden_death": ("Sudden Death", "Sudden Death", "Mort subite", "Muerte súbita", "Nagła śmierć"),
    "dedication": (
        "Dedicated to Mišinka. Happy Nameday.",
        "Mišinka gewidmet. Alles Gute zum Namenstag.",
        "Dédié à Mišinka. Bonne fête.",
        "Dedicado a Mišinka. Feliz día del santo.",
        "Dedykowane Mišince. Wszystkiego najlepszego z okazji imienin.",
    ),
}


def texts(said: Words) -> dict[str, str]:
    """Every text of a language, plural forms under `key.form`."""
    flat = {}
    for key, entry in said.entries.items():
        flat |= {key: entry} if isinstance(entry, str) else {f"{key}.{form}": text for form, text in entry.items()}
    return flat


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_in_the_same_order(language: str) -> None:
    assert list(words(language).entries) == list(ENGLISH.entries)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_fills_in_the_same_values_as_in_english(language: str) -> None:
    for key, entry in words(language).entries.items():
        english = ENGLISH.entries[key]
        assert isinstance(entry, str) == isinstance(english, str), key
        forms = [entry] if isinstance(entry, str) else list(entry.values())
        expected = placeholders(english if isinstance(english, str) else english["other"])
        assert all(placeholders(form) == expected for form in forms), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_texts_have_exactly_the_forms_of_the_language(language: str) -> None:
    forms = {"one", "few", "other"} if language == "pl" else {"one", "other"}
    for key, entry in words(language).entries.items():
        assert isinstance(entry, str) or set(entry) == forms, key


@pytest.mark.parametrize(("key", "expected"), TERMS.items(), ids=TERMS)
def test_the_terms_of_the_game_are_those_of_the_published_rules(key: str, expected: tuple[str, ...]) -> None:
    assert tuple(words(language).say(key) for language in LANGUAGES) == expected


@pytest.mark.parametrize(
    ("language", "n", "expected"),
    [
        ("en", 1, "Roll 1 die"), ("en", 2, "Roll 2 dice"),
        ("de", 1, "Wirf 1 Würfel"), ("de", 6, "Wirf 6 Würfel"),
        ("fr", 1, "Lance 1 dé"), ("fr", 2, "Lance 2 dés"),
        ("es", 1, "Tira 1 dado"), ("es", 5, "Tira 5 dados"),
        ("pl", 1, "Rzuć 1 kością"), ("pl", 3, "Rzuć 3 kośćmi"), ("pl", 5, "Rzuć 5 kośćmi"),
    ],
)  # fmt: skip
def test_dice_are_counted_in_the_right_form(language: str, n: int, expected: str) -> None:
    assert words(language).say("roll_dice", n=n) == expected


@pytest.mark.parametrize(
    ("n", "expected"),
    [(0, "other"), (1, "one"), (2, "few"), (4, "few"), (5, "other"), (11, "other"), (12, "other"), (14, "other"),
     (21, "other"), (22, "few"), (25, "other"), (112, "other"), (122, "few")],
)  # fmt: skip
def test_polish_has_three_plural_forms(n: int, expected: str) -> None:
    assert plural_form("pl", n) == expected


@pytest.mark.parametrize(
    ("language", "halves", "expected"),
    [("en", 0, "0"), ("en", 1, "0.5"), ("en", 5, "2.5"), ("de", 5, "2,5"), ("fr", 5, "2,5"), ("es", 5, "2,5"),
     ("pl", 2007, "1003,5"), ("pl", 2000, "1000")],
)  # fmt: skip
def test_half_points_are_written_with_the_language_s_mark(language: str, halves: int, expected: str) -> None:
    assert words(language).points(halves) == expected


@pytest.mark.parametrize("font_name", HEIGHTS_PX)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_font_draws_every_character_used(language: str, font_name: str) -> None:
    used = set("".join(texts(words(language)).values())) | set("0123456789+=×→!#")
    typeface = font(font_name)
    # Terminus draws what it lacks as a question mark.
    unknown = bytes(typeface.getmask("\ue123", mode="1"))
    missing = {c for c in used - set(" ?") if bytes(typeface.getmask(c, mode="1")) == unknown}
    assert not missing


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_hides_behind_an_ellipsis_or_english(language: str) -> None:
    assert language == "en" or len({k for k, t in texts(words(language)).items() if t == texts(ENGLISH).get(k)}) < 20


def test_seats_without_a_name_are_called_by_their_number_in_each_language() -> None:
    called = [words(language).called("Player 3") for language in LANGUAGES]
    assert called == ["Player 3", "Spieler 3", "Joueur 3", "Jugador 3", "Gracz 3"]
    assert [words("pl").called(name) for name in ("Ana", "Player", "Player X", "")] == ["Ana", "Player", "Player X", ""]


def test_an_unknown_language_is_named_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="no words in 'xx'; there are en, de, fr, es, pl"):
        words("xx")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_fit_a_page_and_use_the_terms_of_the_screens(language: str) -> None:
    said, text = words(language), rules_text(language)
    for key in ("bank", "roll_again", "straight", "three_pairs", "final_round", "sudden_death", "dedication"):
        assert said.say(key) in re.sub(r"\s+", " ", text), key
    assert "MISHIMASH" in text
    assert "CUBIRI ORIGINAL #2" in text
    assert f"0{said.say('decimal_mark')}5" in text
    assert len(text.splitlines()) <= 60
    assert max(map(len, text.splitlines())) <= 79
