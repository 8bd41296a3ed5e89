"""Rules come to the same verdicts in a worker as in the process of the run.

A rule of a user may hang or crash, so it judges in a *worker*, a process that is stopped at a limit. The
submission, and the trial's calls, are sent there.
"""

import pytest

from controlplane.agent.submission import find_verdicts
from controlplane.gates.submission import Probe, Submission
from controlplane.sandbox import ForkServer, Worker
from tests.agent.gated_exit.judging.judged_submissions import (
    BOOK,
    CASE,
    calls_of_every_kind,
    submission_with,
)
from tests.agent.gated_exit.judging.own_rule import OWN


@pytest.mark.parametrize(
    "rule_sets",
    [
        pytest.param((OWN,), id="own rule set"),
        pytest.param(("ecom", OWN), id="own rule set and ecom"),
    ],
)
@pytest.mark.parametrize(
    "submission",
    [
        pytest.param(submission_with(), id="plain"),
        pytest.param(
            submission_with(Probe(is_callable=False, takes_one_argument=True)),
            id="verify is not a function",
        ),
        pytest.param(
            submission_with(Probe(is_callable=True, takes_one_argument=False)),
            id="verify takes two arguments",
        ),
        pytest.param(
            Submission(answer="7", outcome="OUTCOME_OK", refs=[BOOK, "/never"]),
            id="no script",
        ),
        pytest.param(
            submission_with(refs_why={"/never/read.md": "what was never read"}),
            id="unread citation",
        ),
        pytest.param(
            submission_with(changes=[{"path": "/new.txt", "action": "write"}]),
            id="changes",
        ),
        pytest.param(
            submission_with(outcome="OUTCOME_DENIED_SECURITY", answer="It is done."),
            id="denied",
        ),
        pytest.param(submission_with(outcome="OUTCOME_ERR_INTERNAL"), id="gives up"),
    ],
)
def test_a_worker_comes_to_the_same_verdicts_as_this_process(
    own_server: ForkServer, submission: Submission, rule_sets: tuple[str, ...]
) -> None:
    """Rules judge a submission by what the trial has read. So the worker is told of each new call."""
    calls = calls_of_every_kind()

    with Worker(own_server) as worker:
        in_worker = find_verdicts(worker, submission, calls.evidence, CASE, rule_sets)
        here = find_verdicts(None, submission, calls.evidence, CASE, rule_sets)
        assert in_worker == here

        calls.read("/later.md")
        in_worker = find_verdicts(worker, submission, calls.evidence, CASE, rule_sets)
        here = find_verdicts(None, submission, calls.evidence, CASE, rule_sets)
        assert in_worker == here
