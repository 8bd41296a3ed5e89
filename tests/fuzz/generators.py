"""Random hostile inputs for the fuzzer: words, texts, paths, regular expressions, JSON values.

Each function takes a random generator and returns one input: `pattern(Random(1))` may return
`(a+)*|{2}`. A part of the inputs is what models and servers really send, a part is damaged, and a
part is junk. The same seed gives the same inputs.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

WORDS = [
    "a",
    "id",
    "status",
    "lines",
    "sku",
    "OUTCOME_OK",
    "checked_out",
    "2026-01-01T00:00:00Z",
    "/AGENTS.MD",
    "-0.0",
]
"""Words as they stand in files, records and answers of a shop."""

ODD_TEXTS = [
    # Empty, white space, control characters
    "",
    " ",
    "\x00",
    "\n",
    "\r\n",
    "a\tb",
    "\x1b[31m",
    # Characters of Unicode: a line separator, a byte order mark, one that turns the direction of
    # writing, halves of surrogate pairs, an emoji of several characters
    "\u2028",
    "\ufeff",
    "\u202e",
    "\ud800",
    "\ud83d",
    "\U0001f469\u200d\U0001f680",
    # Characters whose normal form, lower case or upper case is longer or shorter
    "e\u0301",
    "İ",
    "ß",
    "ſ",
    "𝟘" * 80,
    "ﷺ" * 200,
    "\u0300" * 400,
    # Long, or deeply nested
    "a" * 300,
    "[" * 500,
    "{" * 300,
    '{"a":' * 200,
    "../" * 40,
    "/" * 50,
    "a/" * 120,
    # Numbers beyond what JSON or floats have
    "1" * 5_000,
    "1e999",
    "NaN",
    "-Infinity",
    "0x7fff",
    # Characters and texts that mean something in code, URLs, SQL or templates
    "\\",
    '"',
    "'",
    "`",
    "#",
    "?",
    "%00",
    "$(id)",
    "<COUNT:%d>",
    "__class__",
    "; drop table products; --",
]
"""Texts that programs often treat wrongly."""

# A pattern is made of atoms, or of groups with patterns inside, each with a quantifier behind it:
# `a`, `*` and `(?:{})` make `(?:a*)`.

ATOMS = [
    # Characters and classes of characters
    "a",
    ".",
    r"\w",
    r"\d",
    r"\s",
    r"\b",
    "[^a]",
    "[a-z]",
    r"[\w-]",
    # Groups, one with a choice that matches in two ways
    "(?:a|a)",
    "(a+)",
    "(?i:é)",
    # References, positions, conditions. RE2, which the product uses, refuses some of them.
    r"\1",
    "^",
    "$",
    "(?=a)",
    "(?<!a)",
    "(?P<n>a)",
    "(?P=n)",
    "(?(1)a|b)",
    # Others
    "[\U00010000-\U0010ffff]",
    "(?s:.)",
    "(?>a)",
    r"\Z",
]
"""Parts of regular expressions that have no other part inside."""

QUANTIFIERS = [
    "",
    "",  # Twice, so that more parts are not repeated.
    "*",
    "+",
    "?",
    "*?",
    "++",
    "{2}",
    "{0,30}",
    "{3,}",
    "{1000}",
    "{65536}",
    "{0,4294967296}",
]
"""What follows a part of a regular expression and says how often it is repeated."""

GROUPS = ["({})", "(?:{})", "({}|{})", "(?={})", "[{}]"]
"""Parts of regular expressions that have other patterns in each `{}`."""


def chosen_kind(rng: Random, percentages: Mapping[str, int]) -> str:
    """Return one of the kinds; `{"known": 40, "random": 60}` gives "known" in 40% of cases."""
    kinds = list(percentages)
    (kind,) = rng.choices(kinds, weights=list(percentages.values()))
    return kind


def happens(rng: Random, percentage: int) -> bool:
    """Return True in so many of 100 cases."""
    return rng.random() < percentage / 100


def _character(rng: Random) -> str:
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
    return "".join(_character(rng) for _ in range(rng.randrange(9)))


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


MAX_PATTERN_DEPTH = 4
"""How many groups may be around a part of a regular expression, as in `((((a))))`."""

MAX_DATA_DEPTH = 6
"""How many lists and objects may be around a JSON value, as in `[[[[[[1]]]]]]`."""


def pattern(rng: Random, depth: int = 0) -> str:
    """Return a regular expression of up to 4 parts, such as `(a+)*|{2}`, often a wrong one.

    A part is one of `ATOMS` (`a`, `\\w`) or one of `GROUPS` (`(?:...)`) with patterns inside. One
    of `QUANTIFIERS` (`*`, `{2}`) follows it. `depth` is the number of groups around the expression.
    """
    expression = ""
    for _ in range(rng.randrange(1, 5)):
        if depth < MAX_PATTERN_DEPTH and happens(rng, 30):
            expression += _filled_group(rng, rng.choice(GROUPS), depth)
        else:
            expression += rng.choice(ATOMS)
        expression += rng.choice(QUANTIFIERS)
    if happens(rng, 10):
        expression += word(rng)
    return expression


def _filled_group(rng: Random, group: str, depth: int) -> str:
    """Return a group of `GROUPS`, such as `({}|{})`, with a random pattern for each `{}`."""
    first_part, *further_parts = group.split("{}")
    filled = first_part
    for part in further_parts:
        filled += pattern(rng, depth + 1) + part
    return filled


def data(rng: Random, depth: int = 0) -> Any:
    """Return a JSON value, with numbers at and beyond limits: `{"sku": [1e308, None]}`."""
    kind = chosen_kind(rng, {"scalar": 40, "list": 30, "object": 30})
    if depth >= MAX_DATA_DEPTH or kind == "scalar":
        numbers = [0, -1, 2**63, 10**400, 1.5, -0.0, 1e308]
        return rng.choice([None, True, False, *numbers, word(rng), text(rng)])
    if kind == "list":
        return [data(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {word(rng): data(rng, depth + 1) for _ in range(rng.randrange(5))}
