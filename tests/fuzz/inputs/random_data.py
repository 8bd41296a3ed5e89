"""Random JSON values for the fuzzer, with numbers at and beyond limits.

random_data(rng)  # {"sku": [1e308, None]}
"""

from random import Random
from typing import Any

from tests.fuzz.inputs.generators import chosen_kind, text, word

MAX_DATA_DEPTH = 6
"""How many lists and objects may be around a JSON value, as in `[[[[[[1]]]]]]`."""


def random_data(rng: Random, depth: int = 0) -> Any:
    """Return a JSON value, which is inside `depth` lists and objects."""
    kind = chosen_kind(rng, {"scalar": 40, "list": 30, "object": 30})
    if depth >= MAX_DATA_DEPTH or kind == "scalar":
        numbers = [0, -1, 2**63, 10**400, 1.5, -0.0, 1e308]
        return rng.choice([None, True, False, *numbers, word(rng), text(rng)])
    if kind == "list":
        return [random_data(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {word(rng): random_data(rng, depth + 1) for _ in range(rng.randrange(5))}
