"""How many tokens the second solver's main model is sent in a trial, and how many of them a provider's cache can keep.

    python -m tests.bench.trial_tokens [SEEDS] [TURNS] [NAMES]

Each task of the embedded benchmark is played for so many turns with the checks before the model switched off: the
functions that serve it, turns of three reads each of what they cite and the opening names, and the completion. Tokens
are reckoned at four characters each, tools included. Kept is what stands at the start of the request before; of a
first request, of the first request of an earlier trial.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import pairwise

from agent.exoskeleton import Part
from tests.bench.exoskeleton_parts import all_played, seeds_of

CHARS_PER_TOKEN = 4
NO_PREFLIGHT = frozenset(Part) - {Part.PREFLIGHT}


def shared(one: str, other: str) -> int:
    return len(os.path.commonprefix((one, other)))  # noqa: RUF071 - characters are meant


def spent(requests: Sequence[str], earlier: Sequence[str]) -> tuple[int, int]:
    """Return the tokens of all requests, and of them the kept ones. `earlier` are first requests of other trials."""
    kept = sum(shared(*pair) for pair in pairwise(requests))
    kept += max((shared(requests[0], each) for each in earlier), default=0)
    return sum(map(len, requests)) // CHARS_PER_TOKEN, kept // CHARS_PER_TOKEN


def main(seeds: str = "1", turns: str = "5", names: str = "mixed") -> None:
    rows: list[tuple[int, int, str, int]] = []
    firsts: list[str] = []
    for each in all_played(list(seeds_of(seeds)), names, parts=NO_PREFLIGHT, turns=int(turns)):
        if each.requests:
            rows.append((*spent(each.requests, firsts), each.family, len(each.requests)))
            firsts.append(each.requests[0])
    rows.sort(reverse=True)
    for tokens, kept, family, requests in rows[:3]:
        print(f"{family:22} {requests} requests, {tokens:,} tokens, {kept / tokens:.3f} of them kept")
    tokens, kept = sum(row[0] for row in rows), sum(row[1] for row in rows)
    print(f"{len(rows)} trials, on average {tokens // len(rows):,} tokens, {kept / tokens:.3f} of them kept")


if __name__ == "__main__":
    main(*sys.argv[1:])
