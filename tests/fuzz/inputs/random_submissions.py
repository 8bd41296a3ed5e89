"""Random answers that a script may submit, and what calls may return, for the fuzzer.

random_scratchpad(rng, ["/a.md"])
# {"answer": "x", "outcome": 1e308, "refs_why": {"/A.MD": "sku"}, ...}
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from controlplane.sandbox.interface import CallError, Operation
from tests.fuzz.inputs import generators
from tests.fuzz.inputs.random_data import random_data
from tests.fuzz.inputs.random_paths import random_path


def random_scratchpad(rng: Random, known_paths: Sequence[str]) -> dict[str, Any]:
    """Return what a script may submit. It mostly cites `known_paths`."""
    citations: dict[str, str] = {}
    for _ in range(5):
        path = random_path(rng, known_paths)
        citations[path] = generators.text(rng)
    outcomes = ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY", random_data(rng)]
    return {
        "answer": rng.choice([generators.text(rng), random_data(rng)]),
        "outcome": rng.choice(outcomes),
        "refs_why": rng.choice([citations, random_data(rng)]),
        "facts": random_data(rng),
        "tokens": random_data(rng),
        "changes": random_data(rng),
    }


def random_result(
    rng: Random, operation: Operation, known_paths: Sequence[str]
) -> dict[str, Any]:
    """Return the result of a call, whose fields are often of wrong types: `{"content": [null]}`."""
    result: dict[str, Any] = {
        field.name: random_data(rng) for field in operation.fields
    }
    if rng.random() < 0.5:
        result["path"] = random_path(rng, known_paths)
        result["content"] = generators.text(rng)
    return result


def random_error(rng: Random) -> CallError | None:
    """Return the error of a call that has failed, in a fifth of cases."""
    if rng.random() < 0.2:
        code = rng.choice(["not_found", "internal"])
        return CallError(code, generators.word(rng))
    return None
