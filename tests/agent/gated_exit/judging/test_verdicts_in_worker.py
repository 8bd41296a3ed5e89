"""Rules come to the same verdicts in a worker as in the process of the run.

A rule of a user may hang or crash, so it judges in a *worker*, a process that is stopped if it takes too
long. The submission, and the trial's calls, are sent to the worker. The function `verify`, by which a
script checks its own answer, cannot be sent: a `Probe` says what is known of the function.

The rule set `OWN` is a user's, and `ecom` is one of the product.
"""

import pytest

from controlplane.gates.submission import Probe, Submission
from controlplane.sandbox import ForkServer, Worker
from tests.agent.gated_exit.judging.judged_submissions import (
    BOOK,
    assert_same_verdicts,
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
            submission_with(verify=Probe(is_callable=False, takes_one_argument=True)),
            id="verify is not a function",
        ),
        pytest.param(
            submission_with(verify=Probe(is_callable=True, takes_one_argument=False)),
            id="verify takes two arguments",
        ),
        pytest.param(
            Submission(answer="7", outcome="OUTCOME_OK", refs=[BOOK, "/never"]),
            id="of a tool call, without a script",
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
    """Rules judge a submission by what the trial has read, so the worker is told of each new call."""
    calls = calls_of_every_kind()

    with Worker(own_server) as worker:
        assert_same_verdicts(worker, submission, calls, rule_sets)

        calls.read("/later.md")
        assert_same_verdicts(worker, submission, calls, rule_sets)
