"""A rule that a user wrote judges an answer in a *worker*, a process of its own.

A user's rule may hang or crash. The worker is stopped if a rule takes too long. The rule set `OWN` has one
rule: an answer must cite the file `/AGENTS.MD`, with the workspace's rules.
"""

from controlplane.agent.judging import find_verdicts
from controlplane.gates.submission import Case, Submission
from controlplane.sandbox import ForkServer, Worker
from tests.agent.gated_exit.judging.own_rule import OWN
from tests.gates.recorded_calls import CallsOfTrial


def test_a_rule_of_the_user_rejects_an_answer_in_a_worker(
    own_server: ForkServer,
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    cites_another_file = Submission(
        answer="7", outcome="OUTCOME_OK", refs=["/docs/Loans.md"]
    )
    case = Case(instruction="How many loans are open?", rules_path="/AGENTS.MD")

    with Worker(own_server) as worker:
        verdicts = find_verdicts(
            worker, cites_another_file, calls.evidence, case, rule_sets=(OWN,)
        )

    own_verdict = verdicts[-1]
    assert own_verdict.result == "reject"
    assert own_verdict.reason == "`/AGENTS.MD` is not cited."
