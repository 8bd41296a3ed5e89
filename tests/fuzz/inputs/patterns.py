"""Random regular expressions for the fuzzer, which are often wrong: `(a+)*|{2}`.

A pattern is made of atoms, or of groups with patterns inside, each with a quantifier behind it: `a`,
`*` and `(?:{})` make `(?:a*)`.
"""

from random import Random

from tests.fuzz.inputs.generators import happens, word

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


MAX_PATTERN_DEPTH = 4
"""How many groups may be around a part of a regular expression, as in `((((a))))`."""


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
