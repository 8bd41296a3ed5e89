"""Random hostile inputs for the fuzzer: words, texts, paths and JSON values.

Each function takes a random generator and returns one input: `word(Random(1))` may return `sku`. A
part of the inputs is what models and servers really send, a part is damaged, and a part is junk. The
same seed gives the same inputs.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

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


def path(rng: Random, known: Sequence[str]) -> str:
    """Return a path: a known one, one with an ending, a misspelt one, or a new one.

    For the known path `/docs/a.md` these are `/docs/a.md`, `/docs/a.md#row=1`, `/DOCS/A.MD`, and
    random words such as `./sku//a`.
    """
    known_path = rng.choice(known)
    kind = chosen_kind(rng, {"known": 40, "ending": 20, "misspelt": 15, "new": 25})
    if kind == "known":
        return known_path
    if kind == "ending":
        endings = ["#", "#row=1", "/", "/..", " ", "\x00", "#" + known_path]
        return known_path + rng.choice(endings)
    if kind == "misspelt":
        misspelt_paths = [
            known_path.upper(),
            known_path[1:],
            "/" + known_path,
            known_path.replace("/", "//"),
            known_path.rsplit("/", 1)[0],
        ]
        return rng.choice(misspelt_paths)

    start = rng.choice(["/", "", "./"])
    separator = rng.choice(["/", "//", "/./"])
    parts = [word(rng) for _ in range(rng.randrange(5))]
    return start + separator.join(parts)


MAX_DATA_DEPTH = 6
"""How many lists and objects may be around a JSON value, as in `[[[[[[1]]]]]]`."""


def data(rng: Random, depth: int = 0) -> Any:
    """Return a JSON value, with numbers at and beyond limits: `{"sku": [1e308, None]}`."""
    kind = chosen_kind(rng, {"scalar": 40, "list": 30, "object": 30})
    if depth >= MAX_DATA_DEPTH or kind == "scalar":
        numbers = [0, -1, 2**63, 10**400, 1.5, -0.0, 1e308]
        return rng.choice([None, True, False, *numbers, word(rng), text(rng)])
    if kind == "list":
        return [data(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {word(rng): data(rng, depth + 1) for _ in range(rng.randrange(5))}
