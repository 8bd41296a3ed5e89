"""What a script may cite by its function `cite`, the gates accept, too, after any calls.

A script cites files while a trial runs, and the gates check the citations when it submits its answer.
If `cite("/A/x", reason)` cites the file by `/a/x`, the gates must know it by this path; and if they
would refuse the path, `cite` must refuse it at once.
"""

import random

import pytest

from tests.agent.evidence.log.citing.random_calls import (
    CONFUSABLE_PATHS,
    make_random_call,
)
from tests.gates.recorded_calls import CallsOfTrial


def citation_by_gates(calls: CallsOfTrial, path: str) -> str | None:
    """Return the spelling of a path by which the gates accept its citation; None if they refuse.

    They refuse a path that no call has accessed, and a folder.
    """
    cited_file = calls.evidence.find(path)
    if cited_file.access is None or cited_file.is_directory:
        return None
    return cited_file.citation


def citation_by_cite(calls: CallsOfTrial, path: str) -> str | None:
    """Return the spelling of a path by which `cite` cites it; None if it refuses the path."""
    try:
        return calls.cite(path, "a reason that is long enough").spelling
    except ValueError:
        return None


@pytest.mark.parametrize("seed", range(40))
def test_cite_and_the_gates_agree_on_every_path_after_any_calls(seed: int) -> None:
    """Both are asked about every path after each of 60 random calls."""
    calls = CallsOfTrial()
    chance = random.Random(seed)

    for _ in range(60):
        make_random_call(calls, chance)
        for path in CONFUSABLE_PATHS:
            assert citation_by_cite(calls, path) == citation_by_gates(calls, path)
