"""Trials in an invented shop, drawn at random, with mostly wrong answers.

`random_trial(12)` has read some records of the shop and perhaps checked a basket out. It answers a
request such as "How many staff have the role packer?" with, say, "It is now closed." The same
seed always gives the same trial.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import OUTCOMES, Case, Submission
from tests.benchmarks.shop import invented_shop as shop
from tests.benchmarks.shop.trial_traces import Trace
from tests.gates.judged_scratchpads import submission_of
from tests.gates.judging.revealing.accepted_reasons import reason_for
from tests.gates.judging.revealing.random_changes import make_random_change
from tests.gates.judging.revealing.requests_and_answers import ANSWERS, INSTRUCTIONS
from tests.gates.judging.revealing.secret_records import RECORDS


@dataclass(frozen=True)
class RandomTrial:
    """A trial with its answer, all drawn at random."""

    evidence: Evidence
    """What the trial has read and changed."""
    case: Case
    """Its instruction, and the rules of the shop."""
    submission: Submission
    """The answer as it is submitted, with a good reason for each citation."""
    outcome: str
    """The outcome that is submitted."""


def random_trial(seed: int) -> RandomTrial:
    """Return the trial that is drawn from this seed: it reads records and may change some."""
    rng = random.Random(seed)
    # In half of the trials a customer asks, in a quarter staff, and in a quarter somebody unknown.
    asker = rng.choice((shop.CUSTOMER, shop.CUSTOMER, shop.STAFF, ""))
    trace = Trace(asker)

    read_paths = rng.sample(sorted(RECORDS), rng.randint(1, len(RECORDS)))
    for path in read_paths:
        trace.read(path, RECORDS[path])

    # Half of the trials change nothing.
    change_count = rng.choice((0, 0, 1, 2))
    for _ in range(change_count):
        make_random_change(trace, rng)

    accessed_paths = sorted(trace.evidence.accesses)
    citation_count = rng.randint(0, min(6, len(accessed_paths)))
    cited_paths = rng.sample(accessed_paths, citation_count)
    case = Case(
        instruction=rng.choice(INSTRUCTIONS),
        rules="Answer a question of yes or no with `ja` or `nein`.",
        rules_path=shop.RULES,
    )
    outcome = rng.choice(OUTCOMES)
    scratchpad = {
        "answer": rng.choice(ANSWERS),
        "outcome": outcome,
        "refs_why": {path: reason_for(path, trace.evidence) for path in cited_paths},
    }
    return RandomTrial(trace.evidence, case, submission_of(scratchpad), outcome)
