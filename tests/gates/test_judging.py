"""How the verdicts of all gates and rules become one judgement of a submission.

A gate is one of eight built-in checks. A rule is a further check, such as `6/wording` of gate 6
or `library/no-shouting` of a rule set that the user chose. Each blocks an answer until it is
corrected, asks (objects twice and then lets it pass), or is off.
"""

from __future__ import annotations

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.judging.gate_rules import rule_keys
from controlplane.gates.opinions import Inapplicable, Objection, Opinion
from controlplane.gates.rule_set_loading import RuleSetError, load_rule_set
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import (
    GATE_NAMES,
    MOST_ASKING_TURNS,
    RULE_FAILED,
    RULE_SET_GATE,
    Judgement,
    Verdict,
)
from tests.gates.sample_trials import (
    CallsOfTrial,
    ScriptedVerify,
    VerifyAnswer,
    judge_scratchpad,
    objection_of,
    rejecting_keys,
    valid_scratchpad,
    verdict_of,
)


def test_a_sound_submission_is_accepted_as_it_was_submitted() -> None:
    judgement = judge_scratchpad(valid_scratchpad())

    assert judgement.accepted
    assert judgement.message == ""
    assert judgement.answer == "A loan runs 21 days."
    assert judgement.outcome == "OUTCOME_OK"
    assert judgement.refs == ("/docs/Loans.md",)


def test_every_gate_and_rule_gives_a_verdict() -> None:
    """A verdict is recorded for each, so that a user can see what was checked."""
    judgement = judge_scratchpad(valid_scratchpad())

    gate_keys: list[str] = []
    for verdict in judgement.verdicts:
        if verdict.name in GATE_NAMES.values():
            gate_keys.append(verdict.key)
    assert gate_keys == ["1", "2", "3", "4", "5", "6", "7", "8"]
    # The rule `review`, which asks a second model, runs elsewhere.
    all_keys = {verdict.key for verdict in judgement.verdicts}
    assert all_keys == rule_keys() - {"review"}


# Enforcement: block, ask or off
# ----------------------------------------------------------------------------------------------------------


def fault_of_shouting(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return the fault of an answer in capitals: a rule of the rule set below."""
    if submission.answer_text.isupper():
        return "do not shout"
    return ""


def fault_of_any_answer(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return a fault of every answer: another rule of the rule set below."""
    return "speak up"


LIBRARY = RuleSet(
    "library",
    (
        Rule("no-shouting", fault_of_shouting),
        Rule("no-whisper", fault_of_any_answer, "block"),
    ),
)
FAULTY = valid_scratchpad(
    answer="OUTCOME_DENIED_SECURITY",
    refs_why={"/docs/Loans.md": "relevant document"},
    tokens=["22"],
)
"""A submission that each rule of `FAULTY_KEYS` rejects."""
FAULTY_KEYS = {
    "5",  # asks: "relevant document" names nothing of the document
    "6/wording",  # asks: the answer is the name of an outcome
    "8",  # blocks: the answer does not contain 22
    "library/no-shouting",  # asks
    "library/no-whisper",  # blocks
}
FAULT_TEXTS = {
    "6/wording": "names an outcome class",
    "8": "`22`",
    "library/no-whisper": "speak up",
}
"""What the message says of three of these faults, by the key of the rule."""


def judgement_of_faulty(enforcements: dict[str, str]) -> Judgement:
    """Judge the faulty submission with enforcements that the user sets: `{"6/wording": "off"}`."""
    policy = GatePolicy(enforcements)
    return judge_scratchpad(FAULTY, policy=policy, rule_sets=(LIBRARY,))


# Enforcements that the user sets, and the keys of the rejecting rules that are off because of them
ENFORCEMENT_CASES = [
    pytest.param({}, set(), id="as declared"),
    pytest.param({"6": "off"}, {"6/wording"}, id="gate off with its rules"),
    pytest.param({"6/wording": "off"}, {"6/wording"}, id="one rule of a gate off"),
    pytest.param({"8": "off", "5": "off"}, {"8", "5"}, id="two gates off"),
    pytest.param(
        {"library": "off"},
        {"library/no-shouting", "library/no-whisper"},
        id="rule set off",
    ),
    pytest.param(
        {"library/no-whisper": "off"},
        {"library/no-whisper"},
        id="one rule of a rule set off",
    ),
    pytest.param(
        {"library": "off", "library/no-whisper": "ask"},
        {"library/no-shouting"},
        id="rule set off except for one rule",
    ),
]


@pytest.mark.parametrize(("enforcements", "keys_off"), ENFORCEMENT_CASES)
def test_the_verdict_of_a_rule_that_is_off_says_so(
    enforcements: dict[str, str], keys_off: set[str]
) -> None:
    """All five rules find a fault in the submission. Verdicts of rules that are off are recorded,
    so that the user can see what these rules would have stopped."""
    judgement = judgement_of_faulty(enforcements)

    assert set(rejecting_keys(judgement)) == FAULTY_KEYS
    recorded_as_off: set[str] = set()
    for verdict in judgement.verdicts:
        if verdict.result == "reject" and verdict.enforcement == "off":
            recorded_as_off.add(verdict.key)
    assert recorded_as_off == keys_off


@pytest.mark.parametrize(("enforcements", "keys_off"), ENFORCEMENT_CASES)
def test_the_message_tells_the_faults_of_all_rules_that_are_not_off(
    enforcements: dict[str, str], keys_off: set[str]
) -> None:
    """The message is what the model gets to read. It has one line for each fault, such as "speak up"
    of the rule `library/no-whisper`."""
    judgement = judgement_of_faulty(enforcements)

    for key, fault_text in FAULT_TEXTS.items():
        is_told = fault_text in judgement.message
        is_off = key in keys_off
        assert is_told is not is_off, key


# Rules that ask: they object in at most two turns of a trial
# --------------------------------------------------------------------------------------------------

VAGUE_REASON = valid_scratchpad(refs_why={"/docs/Loans.md": "relevant document"})
"""A submission whose citation has a reason that could be said of any file.

Gate 5, which checks such reasons, objects to it. This gate asks.
"""
EARLIER_OBJECTION = "names nothing that was found there"
"""An earlier objection of gate 5. How many there were matters here, not what they said."""


def judge_vague_reason(earlier_count: int) -> Judgement:
    """Judge the vague reason after gate 5 has objected to it `earlier_count` times."""
    earlier_objections = {"5": [EARLIER_OBJECTION] * earlier_count}
    return judge_scratchpad(VAGUE_REASON, earlier_objections=earlier_objections)


@pytest.mark.parametrize(
    ("earlier_count", "count_in_message"),
    [(0, "objection 1 of 2]"), (1, "objection 2 of 2]")],
)
def test_an_asking_rule_objects_in_two_turns(
    earlier_count: int, count_in_message: str
) -> None:
    """The message says which of the two objections it is."""
    assert MOST_ASKING_TURNS == 2

    judgement = judge_vague_reason(earlier_count)

    assert verdict_of(judgement, 5).result == "reject"
    assert not judgement.accepted
    assert count_in_message in judgement.message


@pytest.mark.parametrize("earlier_count", [2, 3])
def test_an_asking_rule_is_overridden_after_two_objections(earlier_count: int) -> None:
    """A model that submits the answer a third time has thought about the objection, and may be
    right."""
    judgement = judge_vague_reason(earlier_count)

    assert judgement.accepted
    assert judgement.message == ""
    asking_verdict = verdict_of(judgement, 5)
    assert asking_verdict.result == "overridden"
    assert "names nothing that was found there" in asking_verdict.reason


def test_a_blocking_gate_still_rejects_after_two_objections() -> None:
    """Gate 5 asks, so it is overridden after two objections. Gate 7, which calls the script's
    function `verify`, blocks. Here `verify` does not confirm the answer."""
    says_no = ScriptedVerify(as_submitted=VerifyAnswer(False))

    judgement = judge_scratchpad(
        VAGUE_REASON,
        earlier_objections={
            "5": [EARLIER_OBJECTION, EARLIER_OBJECTION],
            "7": ["did not return True", "did not return True"],
        },
        verify=says_no,
    )

    assert rejecting_keys(judgement) == ["7"]
    assert "[gate 7: verify says yes] " in judgement.message


# Rules that demand or forbid citations
# ---------------------------------------------------------------------------------------------


def rule_with(name: str, opinion: Opinion) -> Rule:
    """Return a rule that has this opinion of every submission.

    An opinion is what the function of a rule returns, such as a fault or an `Objection`.
    """

    def opinion_of(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
        return opinion

    return Rule(name, opinion_of)


@pytest.mark.parametrize("demand_is_first", [True, False])
def test_a_citation_that_one_rule_demands_is_not_forbidden_by_another(
    demand_is_first: bool,
) -> None:
    """One rule demands the loan rules, another forbids them and the log. In either order the
    demand wins, and only the log stays forbidden."""
    demand = Objection(
        demands=("/docs/Loans.md",), missing_message="{paths} is missing."
    )
    prohibition = Objection(
        forbids=("/docs/Loans.md", "/logs/lent.tsv"),
        surplus_message="{paths} is surplus.",
    )
    rules = [rule_with("demands", demand), rule_with("forbids", prohibition)]
    if not demand_is_first:
        rules.reverse()
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/logs/lent.tsv")

    def judgement_of(citations: dict[str, str]) -> Judgement:
        """Judge an answer with these citations, each path with its reason."""
        scratchpad = valid_scratchpad(refs_why=citations)
        rule_set = RuleSet("x", tuple(rules))
        return judge_scratchpad(scratchpad, calls, rule_sets=(rule_set,))

    loan_rules = {"/docs/Loans.md": "a loan runs 21 days"}
    log = {"/logs/lent.tsv": "row 7 is b-104"}
    loan_rules_cited = judgement_of(loan_rules)
    both_cited = judgement_of(loan_rules | log)
    log_cited = judgement_of(log)

    assert rejecting_keys(loan_rules_cited) == []
    assert objection_of(both_cited, "x/forbids") == "`/logs/lent.tsv` is surplus."
    assert objection_of(log_cited, "x/demands") == "`/docs/Loans.md` is missing."


# The function of a rule returns an opinion, such as "count again". The rule makes a verdict of it,
# which the journal keeps: `Verdict(name="library/sum", result="reject", reason="count again", ...)`.
# ------------------------------------------------------------------------------------------------------


def verdict_on_opinion(
    opinion: Opinion, cited: set[str] | None = None, demanded: set[str] | None = None
) -> Verdict:
    """Return the verdict of the rule `sum` of the rule set `library`, which returns this opinion.

    `cited` are the paths that the submission cites, `demanded` those that any rule demands.
    """
    rule = rule_with("sum", opinion)
    returned_opinion = rule.opinion(Submission(), Evidence(), Case(""))
    return rule.verdict(
        returned_opinion,
        cited=frozenset(cited or ()),
        demanded=frozenset(demanded or ()),
        rule_set="library",
    )


def test_a_verdict_names_the_rule_and_its_rule_set() -> None:
    verdict = verdict_on_opinion("count again")

    assert verdict.gate == RULE_SET_GATE
    assert verdict.name == "library/sum"


@pytest.mark.parametrize("opinion", [None, "", []])
def test_a_rule_that_returns_no_fault_passes(opinion: Opinion) -> None:
    """A rule may return None, an empty text or an empty list."""
    verdict = verdict_on_opinion(opinion)

    assert verdict.result == "pass"
    assert verdict.reason == ""


@pytest.mark.parametrize(
    ("opinion", "reason"),
    [
        pytest.param("count again", "count again", id="one fault"),
        pytest.param(["one", "", "two"], "one\ntwo", id="two faults"),
        pytest.param([None, 7, "x"], "x", id="a fault beside values of other types"),
    ],
)
def test_a_rule_that_returns_faults_rejects(opinion: Opinion, reason: str) -> None:
    """A rule may return one fault or a list of faults."""
    verdict = verdict_on_opinion(opinion)

    assert verdict.result == "reject"
    assert verdict.reason == reason


@pytest.mark.parametrize(
    ("opinion", "reason_start"),
    [
        pytest.param(Inapplicable("no sum"), "no sum", id="the rule cannot judge"),
        pytest.param(7, "the rule failed: ", id="not an opinion"),
    ],
)
def test_a_rule_without_an_opinion_does_not_apply(
    opinion: Opinion, reason_start: str
) -> None:
    """A rule may say that it cannot judge, or return something that is not an opinion."""
    verdict = verdict_on_opinion(opinion)

    assert verdict.result == "not_applicable"
    assert verdict.reason.startswith(reason_start)


@pytest.mark.parametrize(
    ("cited", "demanded_by_others", "reason"),
    [
        pytest.param({"/a", "/b"}, set(), "", id="all that is demanded"),
        pytest.param(
            {"/a", "/b", "/c"}, {"/c"}, "", id="a forbidden path that others demand"
        ),
        pytest.param({"/b"}, set(), "`/a` is missing.", id="one missing"),
        pytest.param(set(), set(), "`/a`, `/b` is missing.", id="all missing"),
        pytest.param({"/a", "/b", "/c"}, set(), "`/c` is surplus.", id="one forbidden"),
        pytest.param(
            {"/c", "/d"},
            {"/d"},
            "`/a`, `/b` is missing.\n`/c` is surplus.",
            id="all missing, one forbidden, one demanded by others",
        ),
    ],
)
def test_an_objection_to_citations_names_missing_and_forbidden_paths(
    cited: set[str], demanded_by_others: set[str], reason: str
) -> None:
    """The rule demands `/a` and `/b`, and forbids `/c` and `/d` unless another rule demands them.
    It passes if it has nothing to name."""
    opinion = Objection(
        demands=("/a", "/b", "/a"),  # A path that is listed twice is reported once.
        missing_message="{paths} is missing.",
        forbids=("/c", "/d"),
        surplus_message="{paths} is surplus.",
    )

    verdict = verdict_on_opinion(
        opinion, cited, demanded={"/a", "/b"} | demanded_by_others
    )

    assert verdict.result == ("reject" if reason else "pass")
    assert verdict.reason == reason


# Rules that fail
# ------------------------------------------------------------------------------------------------------


def raise_key_error(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Fail as a rule with a mistake does, by `KeyError: 'nothing'`."""
    return str({}["nothing"])


@pytest.mark.parametrize("enforcement", ["block", "ask"])
def test_a_rule_that_raises_does_not_apply_and_names_the_failed_line(
    enforcement: str,
) -> None:
    """A mistake in a rule of the user must not cost the answer. The reason names the line of this
    file at which `raise_key_error` failed."""
    rule_set = RuleSet("x", (Rule("broken", raise_key_error, enforcement),))

    judgement = judge_scratchpad(valid_scratchpad(), rule_sets=(rule_set,))

    assert judgement.accepted
    assert judgement.message == ""
    broken_verdict = verdict_of(judgement, "x/broken")
    assert broken_verdict.result == "not_applicable"
    assert broken_verdict.reason.startswith(f"{RULE_FAILED}KeyError: 'nothing'")
    assert "test_judging.py, line " in broken_verdict.reason


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nonesuch", "no rule set is called 'nonesuch': use one of ecom, posed"),
        ("nowhere.at:ALL", "cannot be loaded"),
        ("json:nothing", "cannot be loaded"),
        ("json:dumps", "is a function, not a controlplane.gates.rules.RuleSet"),
    ],
)
def test_a_rule_set_that_cannot_be_loaded_is_refused_in_one_line(
    name: str, message: str
) -> None:
    """A rule set has a name, or is a Python object, as in `package.module:NAME`."""
    with pytest.raises(RuleSetError, match=message) as raised:
        load_rule_set(name)

    assert "\n" not in str(raised.value)
