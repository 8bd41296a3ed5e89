"""Rules that a user wrote judge in a worker process, and come to the same verdicts there.

The product's own rules judge in the process of the run. A user's rule may hang or crash, so it judges in
a *worker*, a process that is stopped at a limit. The submission, and the trial's calls, are sent there.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from controlplane.agent.submission import (
    find_verdicts,
    judging_modules,
)
from controlplane.gates.submission import Probe, Submission
from controlplane.sandbox import ForkServer, Worker
from tests.agent.gated_exit.judged_submissions import (
    BOOK,
    CASE,
    OWN,
    calls_of_every_kind,
    submission_with,
)


@pytest.fixture(scope="module")
def own_server() -> Iterator[ForkServer]:
    """Start workers that can judge by `OWN`, a rule of a user, and by the product's `ecom`."""
    with ForkServer(judging_modules(("ecom", OWN))) as server:
        yield server


def test_a_rule_of_the_user_rejects_an_answer_in_a_worker(
    own_server: ForkServer,
) -> None:
    """The rule wants the file /AGENTS.MD to be cited. The submission cites another one."""
    submission = Submission(answer="7", outcome="OUTCOME_OK", refs=[BOOK])
    evidence = calls_of_every_kind().evidence

    with Worker(own_server) as worker:
        verdicts = find_verdicts(worker, submission, evidence, CASE, (OWN,))

    own_verdict = verdicts[-1]
    assert own_verdict.result == "reject"
    assert own_verdict.reason == "`/AGENTS.MD` is not cited."


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
        # Submissions that are hard to send: a script may put any value into its submission.
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
def test_a_worker_comes_to_the_same_verdicts_as_this_process(
    own_server: ForkServer, submission: Submission, rule_sets: tuple[str, ...]
) -> None:
    """Rules judge a submission by what the trial has read. So the worker is told of each new call."""
    calls = calls_of_every_kind()

    with Worker(own_server) as worker:
        in_worker = find_verdicts(worker, submission, calls.evidence, CASE, rule_sets)
        assert in_worker == find_verdicts(
            None, submission, calls.evidence, CASE, rule_sets
        )

        calls.read("/later.md")
        in_worker = find_verdicts(worker, submission, calls.evidence, CASE, rule_sets)
        assert in_worker == find_verdicts(
            None, submission, calls.evidence, CASE, rule_sets
        )
