"""Gates 2 and 7: facts say how they are known, and `verify` vouches for this very answer."""

import pytest

from tests.gates.sample_trials import Calls, Reply, Verify, judged, pad, verdict

# Gate 2 --------------------------------------------------------------------------------------------------------------


def slot(value: object = 21, source: object = "/docs/Loans.md", confidence: object = "verified") -> dict[str, object]:
    return {"value": value, "description": "days of a loan", "source": source, "confidence": confidence}


GOOD = [
    {},
    {"days": slot()},
    {"days": slot(source=["/docs/Loans.md"])},
    {"days": slot(source="/docs/loans.md")},
    {"days": slot(source="/docs/Loans.md#line=1")},
    {"days": {**slot(), "note": "extra keys are fine"}},
    {"rows": slot(source="/bin/query")},
    {"who": slot(source="task", confidence="derived")},
    {"who": slot(source="Identity", confidence="derived")},
    {"who": slot(source="the task text", confidence="derived")},
    {"days": slot(), "weeks": slot(3, "days", "derived")},
    {"days": slot(), "weeks": slot(3, "days / 7", "derived"), "more": slot(4, ["weeks"], "derived")},
    {"days": slot(False)},
    {"days": slot(source=[None, " ", "/docs/Loans.md"])},
    {"days": slot(source="/docs/Loans.md", confidence="derived")},
    {"loan_days": slot(), "in-weeks": slot(3, "loan_days / 7", "derived"), "v.2": slot(4, "in-weeks + 1", "derived")},
    {"loan days": slot(), "weeks": slot(3, "loan days", "derived")},
    {"Days": slot(), "weeks": slot(3, "(Days)/7", "derived")},
    {"a": slot(1, ["task", "b"], "derived"), "b": slot(1, "a", "derived")},
    {"days": slot(None, None, "pending")},
    {"days": {"description": "not looked up yet", "confidence": "pending"}},
]


@pytest.mark.parametrize("facts", GOOD)
def test_facts_that_say_how_they_are_known_pass(facts: object) -> None:
    calls = Calls()
    calls.read("/docs/Loans.md")
    calls.run("/bin/query", "select 1", stdout="3 rows")
    found = verdict(judged(pad(facts=facts), calls), 2)
    assert (found.result, found.reason) == ("pass", "")


BAD = [
    ("facts", "`facts`"),
    ([slot()], "a list of 1"),
    ({"days": 21}, "the number `21`"),
    ({"days": slot(confidence="sure")}, "`sure`"),
    ({"days": slot(confidence=None)}, "verified, derived, pending"),
    ({"days": {**slot(), "description": " "}}, "no description"),
    ({"days": {**slot(), "description": None}}, "no description"),
    ({"a": slot(None, "task", "pending"), "b": slot(1, "a", "derived")}, "is no known fact"),
    ({"days": slot(value=None)}, "without a value"),
    ({"days": slot(source="")}, "without a source"),
    ({"days": slot(source=None)}, "without a source"),
    ({"days": slot(source="/docs/Loan.md")}, "`/docs/Loans.md`"),
    ({"days": slot(source=["/docs/Loans.md", "/docs/Fees.md"])}, "`/docs/Fees.md`"),
    ({"days": slot(21, None, "pending")}, "pending and yet holds the number `21`"),
    ({"days": slot(source="/tmp/own.txt")}, "which was not read"),
    ({"days": slot(source="/tmp/own.txt", confidence="derived")}, "is no known fact"),
    ({"days": slot(source=None, confidence="derived")}, "is no known fact"),
    ({"days": slot(source="a guess", confidence="derived")}, "`a guess`"),
    ({"days": slot(source="days", confidence="derived")}, "is no known fact"),
    ({"a": slot(1, "b", "derived"), "b": slot(1, "a", "derived")}, "is no known fact"),
    ({"days": slot(), "weeks": slot(3, "DAYS / 7", "derived")}, "is no known fact"),
    ({"a": slot(None, None, "pending"), "b": slot(1, "a", "derived")}, "is no known fact"),
]


@pytest.mark.parametrize(("facts", "named"), BAD)
def test_facts_of_no_known_origin_are_rejected_by_name(facts: object, named: str) -> None:
    calls = Calls()
    calls.read("/docs/Loans.md")
    calls.write("/tmp/own.txt", "21 days")
    calls.read("/tmp/own.txt")
    found = verdict(judged(pad(facts=facts), calls), 2)
    assert found.result == "reject"
    assert named in found.reason


class Fickle(Verify):
    """Says yes the first time alone."""

    def ask(self, blanked: bool) -> Reply:
        return Reply(not self.asked and super().ask(blanked).says_yes)


# Gate 7 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verify", "named"),
    [
        (Verify(as_submitted=Reply(False)), "did not return True"),
        (Verify(as_submitted=Reply(False, "KeyError: 'total'")), "KeyError: 'total'"),
        (Verify(as_submitted=Reply(True, "time-out after 5 s")), "time-out after 5 s"),
        (Verify(blanked=Reply(True)), "checks nothing"),
        (Fickle(), "when it was asked again"),
    ],
)
def test_a_verify_that_does_not_vouch_for_this_answer_is_rejected(verify: Verify, named: str) -> None:
    found = verdict(judged(pad(), verify=verify), 7)
    assert found.result == "reject"
    assert named in found.reason
