"""A rule that a user wrote judges an answer in a worker, a process that is stopped at a limit.

The product's own rules judge in the process of the run. A user's rule may hang or crash, so the
submission and the trial's calls are sent to a worker for it.
"""

from controlplane.agent.submission import find_verdicts
from controlplane.gates.submission import Submission
from controlplane.sandbox import ForkServer, Worker
from tests.agent.gated_exit.judging.judged_submissions import (
    BOOK,
    CASE,
    calls_of_every_kind,
)
from tests.agent.gated_exit.judging.own_rule import OWN


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
