"""Random regular expressions for the fuzzer, which are often wrong: `(a+)*|{2}`.

A pattern is made of atoms, or of groups with patterns inside, each with a quantifier behind it: `a`,
`*` and `(?:{})` make `(?:a*)`.
"""

from random import Random

from tests.fuzz.inputs.generators import happens, word
from tests.fuzz.inputs.pattern_parts import ATOMS, GROUPS, QUANTIFIERS

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
