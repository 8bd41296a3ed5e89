"""What all gates together do with one submission."""

import json
from dataclasses import asdict

from gates import ALL_GATES, GATE_NAMES, Case, Submission, judge
from gates.ordered_gates import Findings, conclude
from gates.types import Evidence
from gates.types.verdict import PACK_GATE, Verdict
from tests.gates.sample_trials import Calls, Reply, Verify, judged, pad, rejecting_gates, verdict


def test_a_sound_submission_is_accepted_as_it_stands() -> None:
    judgement = judged(pad())
    assert judgement.accepted
    assert judgement.message == ""
    assert (judgement.answer, judgement.outcome, judgement.refs) == (
        "A loan runs 21 days.",
        "OUTCOME_OK",
        ("/docs/Loans.md",),
    )
    assert [each.gate for each in judgement.verdicts] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_one_message_carries_every_failure_in_gate_order() -> None:
    broken = pad(facts=[], refs_why={"docs/x.md": "?"}, outcome="OK", tokens=["22"])
    judgement = judged(broken, verify=Verify(is_callable=False))
    assert rejecting_gates(judgement) == [1, 2, 3, 4, 6, 8]
    places = [judgement.message.index(f"[gate {gate}: {GATE_NAMES[gate]}]") for gate in (1, 2, 3, 4, 6, 8)]
    assert places == sorted(places)


def test_verify_is_asked_last_and_only_when_all_others_pass() -> None:
    verify = Verify()
    judgement = judged(pad(outcome="maybe"), verify=verify)
    assert verdict(judgement, 7).result == "skipped"
    assert verify.asked == []
    judged(pad(), verify=verify)
    assert verify.asked == [False, True]


def test_a_gate_switched_off_is_recorded_but_neither_holds_up_nor_speaks() -> None:
    calls = Calls()
    submission = Submission.from_scratchpad(pad(outcome="maybe", tokens=["22"]), Verify())
    without = judge(submission, calls.evidence, Case("x"), switched_on=ALL_GATES - {4, 6, 8})
    assert without.accepted
    assert without.message == ""
    assert [(each.gate, each.enforced) for each in without.verdicts if each.rejects] == [
        (4, False),
        (6, False),
        (8, False),
    ]
    assert without.outcome == "maybe"


def test_verify_is_asked_when_only_switched_off_gates_reject() -> None:
    verify = Verify(as_submitted=Reply(False))
    submission = Submission.from_scratchpad(pad(outcome="maybe"), verify)
    judgement = judge(submission, Evidence(), Case("x"), switched_on=frozenset({7}))
    assert verify.asked == [False]
    assert not judgement.accepted


def test_a_rule_of_a_pack_speaks_last_under_its_own_name_and_is_not_switched_off() -> None:
    rule, gate = Verdict(PACK_GATE, "desk: a rule", "reject", "Lend."), Verdict(6, GATE_NAMES[6], "reject", "No.")
    submission, findings = Submission(answer="x", outcome="OUTCOME_OK", refs=()), Findings((rule, gate), ())
    found = conclude(submission, findings)
    assert [each.gate for each in found.verdicts] == [6, 7, PACK_GATE]
    assert found.message == f"[gate 6: {GATE_NAMES[6]}] No.\n[desk: a rule] Lend."
    assert conclude(submission, findings, frozenset()).message == "[desk: a rule] Lend."


def test_judging_twice_gives_the_same_and_changes_nothing() -> None:
    calls = Calls()
    calls.read("/docs/Loans.md")
    before = calls.evidence
    scratchpad = pad(refs_why={"/docs/loans.md": "rule of 21 days", "/nowhere.md": "who knows what"})
    copy = json.loads(json.dumps(scratchpad))
    assert judged(scratchpad, calls) == judged(scratchpad, calls)
    assert scratchpad == copy
    assert calls.evidence == before


def test_the_order_of_citations_is_kept() -> None:
    calls = Calls()
    paths = ["/shelves/north side/b-105.json", "/docs/Loans.md", "/shelves/north side/b-104.json"]
    calls.read(*paths)
    reasons = {paths[0]: "copies of b-105 is 0", paths[1]: "renewal of reserved books", paths[2]: "b-104 has copies 3"}
    assert judged(pad(refs_why=reasons), calls).refs == tuple(paths)


def test_verdicts_are_plain_values() -> None:
    for each in judged(pad(facts=3)).verdicts:
        assert json.loads(json.dumps(asdict(each))) == asdict(each)


def test_without_script_trace_and_scratchpad_the_gates_that_need_them_do_not_apply() -> None:
    recorded = Submission(answer="21 days", outcome="OUTCOME_OK", refs=("/docs/Loans.md",))
    results = {each.gate: each.result for each in judge(recorded, Evidence(), Case("How long?")).verdicts}
    inapplicable = {gate for gate, result in results.items() if result == "not_applicable"}
    assert inapplicable == {1, 2, 4, 5, 7, 8}
    assert results[3] == results[6] == "pass"
