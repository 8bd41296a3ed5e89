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

# The tests judge one submission, in which five rules find a fault:
#
# | rule                  | enforcement | fault                                                     |
# |-----------------------|-------------|-----------------------------------------------------------|
# | `5`                   | ask         | a reason, "relevant document", fits any document          |
# | `6/wording`           | ask         | the answer is the name of an outcome                      |
# | `8`                   | block       | the answer does not contain `22`, which the script wanted |
# | `library/no-shouting` | ask         | the answer is in capitals                                 |
# | `library/no-whisper`  | block       | this rule objects to every answer                         |


def fault_of_shouting(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return the fault of an answer in capitals; an empty string if it has small letters."""
    if submission.answer_text.isupper():
        return "do not shout"
    return ""


def fault_of_any_answer(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return a fault, whatever the answer is."""
    return "speak up"


def judgement_of_faulty(enforcements: dict[str, str]) -> Judgement:
    """Judge the submission with five faults, after the user has set enforcements of some rules.

    `{"6/wording": "off", "8": "ask"}` turns one rule off, and lets gate 8 ask instead of block.
    """
    scratchpad = valid_scratchpad(
        answer="OUTCOME_DENIED_SECURITY",
        refs_why={"/docs/Loans.md": "relevant document"},
        tokens=["22"],
    )
    library = RuleSet(
        "library",
        (
            Rule("no-shouting", fault_of_shouting),
            Rule("no-whisper", fault_of_any_answer, "block"),
        ),
    )
    policy = GatePolicy(enforcements)
    return judge_scratchpad(scratchpad, policy=policy, rule_sets=(library,))


# What the user sets, and which of the five rules are off because of that
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
    """All five rules are judged, so that the user can see what a rule that is off would have
    stopped: if `{"6": "off"}` is set, gate 6 with its rules, this is `6/wording`."""
    judgement = judgement_of_faulty(enforcements)

    enforcement_of_rejecting: dict[str, str] = {}
    for verdict in judgement.verdicts:
        if verdict.result == "reject":
            enforcement_of_rejecting[verdict.key] = verdict.enforcement
    assert set(enforcement_of_rejecting) == {
        "5",
        "6/wording",
        "8",
        "library/no-shouting",
        "library/no-whisper",
    }
    for key, enforcement in enforcement_of_rejecting.items():
        assert (enforcement == "off") is (key in keys_off), key


@pytest.mark.parametrize(("enforcements", "keys_off"), ENFORCEMENT_CASES)
def test_the_message_tells_the_faults_of_all_rules_that_are_not_off(
    enforcements: dict[str, str], keys_off: set[str]
) -> None:
    """The message is what the model gets to read. It has a line for each fault, such as "speak up"
    of the rule `library/no-whisper`."""
    words_of_rules = {
        "6/wording": "names an outcome class",
        "8": "`22`",
        "library/no-whisper": "speak up",
    }

    judgement = judgement_of_faulty(enforcements)

    told_rules: set[str] = set()
    for key, words in words_of_rules.items():
        if words in judgement.message:
            told_rules.add(key)
    assert told_rules == set(words_of_rules) - keys_off


# Rules that ask: they object in at most two turns of a trial
# --------------------------------------------------------------------------------------------------


def judge_vague_reason(
    earlier_objections: dict[str, list[str]], verify: ScriptedVerify | None = None
) -> Judgement:
    """Judge an answer that cites a file with the reason "relevant document".

    Gate 5 objects to this reason, which fits any file. `earlier_objections` are those of earlier
    turns, by gate: `{"5": ["too vague"]}`. Their number matters, and not what they say.
    """
    scratchpad = valid_scratchpad(refs_why={"/docs/Loans.md": "relevant document"})
    return judge_scratchpad(
        scratchpad, earlier_objections=earlier_objections, verify=verify
    )


@pytest.mark.parametrize(
    ("earlier_objections", "count_in_message"),
    [
        pytest.param([], "objection 1 of 2]", id="first turn"),
        pytest.param(["too vague"], "objection 2 of 2]", id="second turn"),
    ],
)
def test_an_asking_rule_objects_in_two_turns(
    earlier_objections: list[str], count_in_message: str
) -> None:
    """The message says which of the two objections it is."""
    assert MOST_ASKING_TURNS == 2

    judgement = judge_vague_reason({"5": earlier_objections})

    assert verdict_of(judgement, 5).result == "reject"
    assert not judgement.accepted
    assert count_in_message in judgement.message


@pytest.mark.parametrize(
    "earlier_objections",
    [
        pytest.param(["too vague", "too vague"], id="third turn"),
        pytest.param(["too vague", "too vague", "too vague"], id="fourth turn"),
    ],
)
def test_an_asking_rule_is_overridden_after_two_objections(
    earlier_objections: list[str],
) -> None:
    """A model that submits the answer a third time has thought about the objection, and may be
    right. The objection is recorded, but the answer is accepted."""
    judgement = judge_vague_reason({"5": earlier_objections})

    assert judgement.accepted
    assert judgement.message == ""
    asking_verdict = verdict_of(judgement, 5)
    assert asking_verdict.result == "overridden"
    assert "names nothing that was found there" in asking_verdict.reason


def test_a_blocking_gate_still_rejects_after_two_objections() -> None:
    """Gate 7 blocks: it calls the script's function `verify`, which here says no to the answer.
    Gate 5, which asks, is overridden after as many objections."""
    says_no = ScriptedVerify(as_submitted=VerifyAnswer(says_yes=False))
    earlier_objections = {
        "5": ["too vague", "too vague"],
        "7": ["did not return True", "did not return True"],
    }

    judgement = judge_vague_reason(earlier_objections, verify=says_no)

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


@pytest.mark.parametrize("rule_order", ["demands forbids", "forbids demands"])
@pytest.mark.parametrize(
    ("citations", "objections"),
    [
        pytest.param(
            {"/docs/Loans.md": "a loan runs 21 days"},
            {},
            id="only the demanded file",
        ),
        pytest.param(
            {
                "/docs/Loans.md": "a loan runs 21 days",
                "/logs/lent.tsv": "row 7 is b-104",
            },
            {"x/forbids": "`/logs/lent.tsv` is surplus."},
            id="the demanded and a forbidden file",
        ),
        pytest.param(
            {"/logs/lent.tsv": "row 7 is b-104"},
            {
                "x/demands": "`/docs/Loans.md` is missing.",
                "x/forbids": "`/logs/lent.tsv` is surplus.",
            },
            id="only a forbidden file",
        ),
    ],
)
def test_a_citation_that_one_rule_demands_is_not_forbidden_by_another(
    citations: dict[str, str], objections: dict[str, str], rule_order: str
) -> None:
    """One rule demands the loan rules, another forbids them and the log. In either order of the
    rules the demand wins, and only the log stays forbidden."""
    demand = Objection(
        demands=("/docs/Loans.md",), missing_message="{paths} is missing."
    )
    prohibition = Objection(
        forbids=("/docs/Loans.md", "/logs/lent.tsv"),
        surplus_message="{paths} is surplus.",
    )
    opinions: dict[str, Opinion] = {"demands": demand, "forbids": prohibition}
    rules = [rule_with(name, opinions[name]) for name in rule_order.split()]
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/logs/lent.tsv")

    judgement = judge_scratchpad(
        valid_scratchpad(refs_why=citations),
        calls,
        rule_sets=(RuleSet("x", tuple(rules)),),
    )

    actual_objections: dict[str, str] = {}
    for key in rejecting_keys(judgement):
        actual_objections[key] = objection_of(judgement, key)
    assert actual_objections == objections


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


def verdict_on_citations(cited: set[str], demanded_by_others: set[str]) -> Verdict:
    """Return the verdict of a rule that demands `/a` and `/b`, and forbids `/c` and `/d`."""
    objection = Objection(
        demands=("/a", "/b", "/a"),  # A path that is listed twice is reported once.
        missing_message="{paths} is missing.",
        forbids=("/c", "/d"),
        surplus_message="{paths} is surplus.",
    )
    demanded = {"/a", "/b"} | demanded_by_others
    return verdict_on_opinion(objection, cited, demanded)


@pytest.mark.parametrize(
    ("cited", "demanded_by_others"),
    [
        pytest.param({"/a", "/b"}, set(), id="all that is demanded"),
        pytest.param(
            {"/a", "/b", "/c"}, {"/c"}, id="a forbidden path that others demand"
        ),
    ],
)
def test_an_objection_to_citations_without_a_path_to_name_passes(
    cited: set[str], demanded_by_others: set[str]
) -> None:
    """The rule demands `/a` and `/b`, and forbids `/c` and `/d` unless another rule demands them.
    It has nothing to say of an answer that cites just that."""
    verdict = verdict_on_citations(cited, demanded_by_others)

    assert verdict.result == "pass"
    assert verdict.reason == ""


@pytest.mark.parametrize(
    ("cited", "demanded_by_others", "reason"),
    [
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
    """The rule demands `/a` and `/b`, and forbids `/c` and `/d` unless another rule demands them."""
    verdict = verdict_on_citations(cited, demanded_by_others)

    assert verdict.result == "reject"
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
