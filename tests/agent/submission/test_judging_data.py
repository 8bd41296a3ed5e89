"""Findings that come from another process are read with care."""

import json

import pytest

from agent.submission.judging_data import evidence_data, evidence_of, findings_data, findings_of
from gates import Case, Submission, find_faults
from gates.types import Change, Evidence, Execution, Failure, LookUp, SeenText, Touch


@pytest.mark.parametrize("data", [None, [], [[], [1]], [[[1, "x", "skipped", ""]], []], [[[1, "x", "pass"]], []], {}])
def test_findings_of_another_form_are_none(data: object) -> None:
    with pytest.raises(ValueError, match="another form"):
        findings_of(data)


def test_findings_of_other_gates_and_rules_than_those_that_were_asked_are_none() -> None:
    found = find_faults(Submission(answer="7"), Evidence(), Case("How many?"))
    assert findings_of(findings_data(found)) == found
    rows, hints = findings_data(found)
    for forged in (rows[1:], rows[::-1], [*rows, [0, "ecom/sku", "pass", ""]]):
        with pytest.raises(ValueError, match="another form"):
            findings_of([forged, hints])
    with pytest.raises(ValueError, match="another form"):
        findings_of([rows, hints], ("ecom",))


def test_evidence_comes_back_as_it_was_sent() -> None:
    seen = SeenText("due 2027", is_whole=False, is_proof=False, echoed="due", is_excerpt=True)
    sent = Evidence(
        has_trace=True,
        touches={"/a.md": Touch("/a.md", frozenset({"read", "write"}), (seen,))},
        aliases={"/A.md": "/a.md"},
        paths_by_spelling={"/a.md": ("/a.md",)},
        directories=frozenset({"/docs"}),
        changes=(Change("/bin/lend", "execute", "loan-1", is_read_back=True),),
        executions=(Execution("/bin/lend", ("loan-1",), "changes", 2, in_verify=True, error="late"),),
        failures=(Failure("read", "unavailable", "closed"),),
        look_ups=(LookUp("search", "/docs", "due", 3, is_whole=False, has_failed=True),),
    )
    assert evidence_of(json.loads(json.dumps(evidence_data(sent, lambda _: 0))), [seen]) == sent
