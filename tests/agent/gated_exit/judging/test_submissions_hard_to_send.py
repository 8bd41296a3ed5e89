"""A submission may have values that are hard to send to another process, and is judged there all the same.

A rule of a user judges in a *worker*, a process that is stopped at a limit. A script may put any value
into its submission, and the worker gets something that the rules judge alike.
"""

import pytest

from controlplane.gates.submission import Submission
from controlplane.sandbox import ForkServer, Worker
from tests.agent.gated_exit.judging.judged_submissions import (
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
        pytest.param(
            submission_with(facts={"a": object(), "b": [1, {2}]}, tokens=[object()]),
            id="values that JSON cannot hold",
        ),
        pytest.param(submission_with(facts=[[[[[[[1]]]]]]]), id="nested lists"),
        # The protocol between the processes marks types of values by such keys.
        pytest.param(
            submission_with(facts={"$foreign": "set", "$dict": {"$x": 1}}),
            id="keys with a dollar",
        ),
        # U+FFFD stands for what could not be decoded.
        pytest.param(
            submission_with(
                answer="a\ufffdb", refs_why={"/a\ufffd": "b\ufffd and more"}
            ),
            id="replacement characters",
        ),
    ],
)
def test_a_value_that_is_hard_to_send_is_judged_alike_in_a_worker(
    own_server: ForkServer, submission: Submission, rule_sets: tuple[str, ...]
) -> None:
    """Rules judge a submission by what the trial has read, so the worker is told of each new call."""
    calls = calls_of_every_kind()

    with Worker(own_server) as worker:
        assert_same_verdicts(worker, submission, calls, rule_sets)

        calls.read("/later.md")
        assert_same_verdicts(worker, submission, calls, rule_sets)
