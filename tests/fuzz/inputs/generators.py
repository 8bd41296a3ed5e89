"""Random hostile words and texts for the fuzzer.

Each function takes a random generator and returns one input: `word(Random(1))` may return `sku`. A
part of the inputs is what models and servers really send, and a part is junk. The same seed gives
the same inputs.
"""

from collections.abc import Mapping
from random import Random

from tests.fuzz.inputs.odd_texts import ODD_TEXTS, WORDS


def chosen_kind(rng: Random, percentages: Mapping[str, int]) -> str:
    """Return one of the kinds; `{"known": 40, "random": 60}` gives "known" in 40% of cases."""
    kinds = list(percentages)
    (kind,) = rng.choices(kinds, weights=list(percentages.values()))
    return kind


def happens(rng: Random, percentage: int) -> bool:
    """Return True in so many of 100 cases."""
    return rng.random() < percentage / 100


def random_character(rng: Random) -> str:
    """Return an ASCII character, a Latin one or half of a surrogate pair, each in a third of cases."""
    ascii_code = rng.randrange(32, 127)
    latin_code = rng.randrange(0x250)  # Unicode's Latin blocks end there.
    half_of_pair = 0xD800
    return chr(rng.choice((ascii_code, latin_code, half_of_pair)))


def word(rng: Random) -> str:
    """Return a word of `WORDS`, one of `ODD_TEXTS`, or up to 8 random characters."""
    kind = chosen_kind(rng, {"known": 40, "odd": 40, "random": 20})
    if kind == "known":
        return rng.choice(WORDS)
    if kind == "odd":
        return rng.choice(ODD_TEXTS)
    return "".join(random_character(rng) for _ in range(rng.randrange(9)))


def text(rng: Random) -> str:
    """Return up to 5 words, in a quarter of cases 50 times over."""
    separator = rng.choice(["", " ", "\n", ""])  # nothing in half of the cases
    words = [word(rng) for _ in range(rng.randrange(6))]
    repeats = rng.choice([1, 1, 1, 50])
    return separator.join(words) * repeats
