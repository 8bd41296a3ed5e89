"""How many tokens the second solver's main model is sent in a trial, and how many of them a provider's cache can keep.

    python -m tests.bench.trial_tokens [SEEDS] [TURNS] [NAMES]

Each task of the embedded benchmark is played for so many turns with the checks before the model switched off: the
functions that serve it, turns of three reads each of what they cite and the opening names, and the completion. Tokens
are reckoned at four characters each, tools included. Kept is what stands at the start of the request before; of a
first request, of the first request of another trial, since a provider's cache is warm from the runs before.

The longest trial has eight turns (`LONGEST_TURNS`): one of functions; three that read nine files, three at a time,
which is more than any answer cites but a count of staff, whose files its function reads; one that changes something;
the completion; and two that the gates send back. What is played reads in all turns between, which costs more.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from agent.exoskeleton import Part
from benchmarks.ecom.ecom_benchmark import TrialId
from benchmarks.ecom.tasks.generation import generate_task, task_ids
from benchmarks.ecom.world.generator import PLAYED
from tests.support.shop_players import play

LONGEST_TURNS: Final = 8
MOST_TOKENS: Final = 90_000
LEAST_KEPT: Final = 0.865
_CHARS_PER_TOKEN = 4
_FEWEST_TURNS = 5
_NO_PREFLIGHT = frozenset(Part) - {Part.PREFLIGHT}


@dataclass(frozen=True)
class TokenUse:
    """The input tokens of one trial."""

    tokens: int
    kept: int
    family: str

    @property
    def share(self) -> float:
        """The kept share."""
        return self.kept / self.tokens


@dataclass(frozen=True)
class PlayedRequests:
    """What the main model was sent in one trial."""

    family: str
    requests: Sequence[str]
    shared_first: int
    """Characters of the first request with which another trial's begins too."""

    def used(self, turns: int) -> TokenUse:
        """Return the tokens of the first so many requests."""
        sent = self.requests[:turns]
        kept = self.shared_first + sum(shared(*pair) for pair in pairwise(sent))
        return TokenUse(sum(map(len, sent)) // _CHARS_PER_TOKEN, kept // _CHARS_PER_TOKEN, self.family)


def shared(one: str, other: str) -> int:
    return len(os.path.commonprefix((one, other)))  # noqa: RUF071 - characters are meant


def played_requests(seeds: Sequence[int], names: str, *, turns: int, limit: int | None = None) -> list[PlayedRequests]:
    """Play every task that the model has to work on, or those of the first ones."""
    settings, trials = replace(PLAYED, names=names), []
    for seed in seeds:
        for task_id in task_ids()[:limit]:
            key = TrialId(task_id, 0, seed, settings.profile, "t").world_seed
            family = task_id.rpartition(".")[0]
            played = play(family, generate_task(task_id, key, settings), key, parts=_NO_PREFLIGHT, turns=turns)
            trials.append((family, played.requests))
    return with_shared([trial for trial in trials if trial[1]])


def with_shared(trials: Sequence[tuple[str, Sequence[str]]]) -> list[PlayedRequests]:
    """Add to each trial's requests what its first shares with that of another: of a sorted list, of a neighbour."""
    firsts = sorted(requests[0] for _, requests in trials)
    common = dict.fromkeys(firsts, 0)
    for one, other in pairwise(firsts):
        common |= {each: max(common[each], shared(one, other)) for each in (one, other)}
    return [PlayedRequests(family, requests, common[requests[0]]) for family, requests in trials]


def main(seeds: str = "1", turns: str = str(LONGEST_TURNS), names: str = "mixed") -> None:
    first, _, last = seeds.partition("-")
    played = played_requests(range(int(first), int(last or first) + 1), names, turns=int(turns))
    for count in range(min(_FEWEST_TURNS, int(turns)), int(turns) + 1):
        used = sorted((each.used(count) for each in played), key=lambda each: -each.tokens)
        tokens, kept = sum(each.tokens for each in used), sum(each.kept for each in used)
        longest, most_kept = used[0], sum(each.share >= LEAST_KEPT for each in used)
        print(
            f"{count:3} turns: at most {longest.tokens:,} tokens, {longest.share:.3f} kept ({longest.family}); "
            f"{tokens // len(used):,} and {kept / tokens:.3f} on average; "
            f"{LEAST_KEPT} kept in {most_kept} of {len(used)} trials"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
