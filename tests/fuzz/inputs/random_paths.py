"""Random paths for the fuzzer: known ones, misspelt ones, and junk.

random_path(rng, ["/docs/a.md"])  # "/docs/a.md", "/docs/a.md#row=1", "/DOCS/A.MD" or "./sku//a"
"""

from collections.abc import Sequence
from random import Random

from tests.fuzz.inputs.generators import chosen_kind, word


def random_path(rng: Random, known: Sequence[str]) -> str:
    """Return a path: a known one, one with an ending, a misspelt one, or a new one of words."""
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
