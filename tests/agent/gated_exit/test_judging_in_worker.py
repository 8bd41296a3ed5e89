"""Rules of a user judge submissions in a worker process, and come to the same verdicts there.

The product's own rules judge in the process of the run. Those that a user wrote may hang or crash,
so they judge in a worker, a process that is stopped at a limit. A submission, and the evidence of a
trial's calls, have to be sent to the worker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from controlplane.agent.submission import (
    find_verdicts,
    judging_modules,
)
from controlplane.gates.submission import Probe, Submission
from controlplane.gates.verdicts import Verdict
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
    """Start workers that can judge by the rules of the user, and by the product's rule set
    `ecom`."""
    with ForkServer(judging_modules(("ecom", OWN))) as server:
        yield server


def verdicts_before_and_after_a_read(
    submission: Submission, rule_sets: tuple[str, ...], *, worker: Worker | None
) -> list[Sequence[Verdict]]:
    """Judge a submission, read `/later.md`, and judge the same submission again.

    The rules also judge what the trial has read. So a worker must be told of the new call. Without
    a worker, this process judges.
    """
    calls = calls_of_every_kind()
    before = find_verdicts(worker, submission, calls.evidence, CASE, rule_sets)
    calls.read("/later.md")
    after = find_verdicts(worker, submission, calls.evidence, CASE, rule_sets)
    return [before, after]


with_each_rule_set = pytest.mark.parametrize(
    "rule_sets",
    [
        pytest.param((OWN,), id="own rule set"),
        pytest.param(("ecom", OWN), id="own rule set and ecom"),
    ],
)


class TestUsualSubmissions:
    """A worker accepts and rejects the same submissions as this process.

    A submission is an answer with its outcome, and what it cites. `verify` is a function by which
    the script checks its own answer. `submission_with(...)` is a submission that differs in these
    fields from a right one.
    """

    @with_each_rule_set
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
                submission_with(
                    outcome="OUTCOME_DENIED_SECURITY", answer="It is done."
                ),
                id="denied",
            ),
            pytest.param(
                submission_with(outcome="OUTCOME_ERR_INTERNAL"), id="gives up"
            ),
        ],
    )
    def test_a_worker_comes_to_the_same_verdicts_as_this_process(
        self, own_server: ForkServer, submission: Submission, rule_sets: tuple[str, ...]
    ) -> None:
        """Each judges twice, before and after the trial has read another file. Some of the
        submissions are accepted, and others are rejected."""
        verdicts_of_this_process = verdicts_before_and_after_a_read(
            submission, rule_sets, worker=None
        )

        with Worker(own_server) as worker:
            verdicts_of_worker = verdicts_before_and_after_a_read(
                submission, rule_sets, worker=worker
            )

        assert verdicts_of_worker == verdicts_of_this_process


class TestSubmissionsThatAreHardToSend:
    """A submission gets the same verdicts though JSON cannot hold its values.

    A script may put any value into its submission, which goes to the worker in a form like JSON.
    """

    @with_each_rule_set
    @pytest.mark.parametrize(
        "submission",
        [
            # A submission goes to the worker in a form like JSON.
            pytest.param(
                submission_with(
                    facts={"a": object(), "b": [1, {2}]}, tokens=[object()]
                ),
                id="values that JSON cannot hold",
            ),
            pytest.param(submission_with(facts=[[[[[[[1]]]]]]]), id="nested lists"),
            # The protocol between the processes uses such keys to mark types of values.
            pytest.param(
                submission_with(facts={"$foreign": "set", "$dict": {"$x": 1}}),
                id="keys with a dollar",
            ),
            # `\ufffd` stands for what could not be decoded.
            pytest.param(
                submission_with(
                    answer="a\ufffdb", refs_why={"/a\ufffd": "b\ufffd and more"}
                ),
                id="replacement characters",
            ),
        ],
    )
    def test_a_submission_that_is_hard_to_send_to_a_worker_gets_the_same_verdicts(
        self, own_server: ForkServer, submission: Submission, rule_sets: tuple[str, ...]
    ) -> None:
        """Each judges twice, before and after the trial has read another file."""
        verdicts_of_this_process = verdicts_before_and_after_a_read(
            submission, rule_sets, worker=None
        )

        with Worker(own_server) as worker:
            verdicts_of_worker = verdicts_before_and_after_a_read(
                submission, rule_sets, worker=worker
            )

        assert verdicts_of_worker == verdicts_of_this_process
