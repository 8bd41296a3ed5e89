"""What a script may cite by its function `cite`, the gates accept, too.

A script cites files while a trial runs, and the gates check the citations when it submits its answer.
If `cite("/A/x", reason)` cites the file by `/a/x`, the gates must know it by this path; and if they
would refuse the path, `cite` must refuse it at once. These tests try this after random calls.
"""

from __future__ import annotations

import random

import pytest

from tests.gates.recorded_calls import CallsOfTrial

# Paths that could be taken for one another: by their case, their accents, or a fragment `#1`.
CONFUSABLE_PATHS = [
    "/a/x",
    "/a/X",
    "/A/x",
    "/x",
    "/b/x",
    "/b/y#1",  # a file of this name, or part 1 of the file /b/y
    "/b/y",
    "/a",
    "/c/é",
    "/c/e\u0301",  # the same letter as an e with an accent
]


def make_random_call(calls: CallsOfTrial, chance: random.Random) -> None:
    """List a folder, read a file, write or delete one.

    In "read elsewhere", the environment says that it has read a file at another path.
    """
    path = chance.choice(CONFUSABLE_PATHS)
    other_path = chance.choice(CONFUSABLE_PATHS)
    match chance.choice(("list", "read", "read elsewhere", "write", "delete")):
        case "list":
            is_folder = chance.random() < 0.2
            is_truncated = chance.random() < 0.5
            entry = {"name": "n", "path": other_path, "is_dir": is_folder}
            result = {"entries": [entry], "truncated": is_truncated}
            calls.record("list", {"path": path}, result)
        case "read":
            calls.read_text(path, "ten words")
        case "read elsewhere":
            result = {"path": other_path, "content": "ten words", "truncated": False}
            calls.record("read", {"path": path}, result)
        case "write":
            calls.write(path, "c")
        case "delete":
            calls.delete(path)


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
