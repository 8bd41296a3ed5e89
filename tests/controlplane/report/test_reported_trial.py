"""What the summary keeps of a trial."""

from __future__ import annotations

from agent.events import Judged, ModelReplied, StepDone, VerdictRecord
from agent.model.model_protocol import Usage
from controlplane.journal.run_summary import TrialSummary
from controlplane.report.reported_trial import TrialFacts, costs_of, submissions_of


def judged(*verdicts: VerdictRecord) -> Judged:
    accepted = not any(each.result == "reject" and each.enforcement != "off" for each in verdicts)
    return Judged(accepted=accepted, answer="", outcome="", refs=(), message="", verdicts=verdicts)


def rejects(gate: int, name: str, *, enforcement: str = "block") -> VerdictRecord:
    return VerdictRecord(gate=gate, name=name, result="reject", reason="why", enforcement=enforcement)


def test_gates_are_told_by_number_and_name_and_those_switched_off_send_nothing_back() -> None:
    first = judged(rejects(4, "citations were read"), rejects(0, "ecom/policy"), rejects(6, "class", enforcement="off"))
    steps = [StepDone(trial_id="t", step=1, verdicts=(first, judged())), StepDone(trial_id="t", step=2)]
    submissions = submissions_of(steps)
    assert submissions == ({"gate 4: citations were read", "rule ecom/policy"}, set())
    assert TrialFacts("a", 0, TrialSummary("t"), "", submissions, ()).times_sent_back == 1


def test_a_step_costs_all_of_its_replies() -> None:
    usage = Usage(prompt_tokens=10, completion_tokens=2, cached_tokens=4)
    replies = [ModelReplied(trial_id="t", step=1, number=n, reply="", usage=usage, elapsed_ms=5) for n in range(2)]
    steps = [StepDone(trial_id="t", step=1, usage=usage, elapsed_ms=7), StepDone(trial_id="t", step=2, usage=usage)]
    first, second = costs_of(steps, {1: replies})
    assert (first.prompt_tokens, first.completion_tokens, first.model_ms, first.script_ms) == (20, 4, 10, 7)
    assert (second.prompt_tokens, second.cached_tokens, second.model_ms) == (10, 4, 0)


def test_the_reason_for_no_answer_comes_before_the_graders_words() -> None:
    summary = TrialSummary("t", reason="no answer within 6 steps", details=("wrong",))
    assert TrialFacts("a", 0, summary, "", (), ()).words == ("no answer within 6 steps", "wrong")
