"""How the verdicts of all gates and rules become one judgement of a submission.

A gate is one of eight built-in checks. A rule is a further check, such as `6/wording` of gate 6
or `library/no-shouting` of a rule set that the user chose. Each blocks an answer until it is
corrected, asks (objects twice and then lets it pass), or is off.
"""

from __future__ import annotations

import pytest

from controlplane.gates.judging.gate_rules import rule_keys
from controlplane.gates.verdicts import GATE_NAMES, MOST_ASKING_TURNS, Judgement
from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    rejecting_keys,
    valid_scratchpad,
    verdict_of,
)
from tests.gates.judging.faulty_submission import judgement_of_faulty
from tests.gates.scripted_verify import ScriptedVerify, VerifyAnswer


class TestSoundSubmissions:
    """A submission to which no gate objects is accepted as it is.

    `valid_scratchpad()` has the answer "A loan runs 21 days." and cites `/docs/Loans.md`, which
    the trial has read.
    """

    def test_a_sound_submission_is_accepted_as_it_was_submitted(self) -> None:
        judgement = judge_scratchpad(valid_scratchpad())

        assert judgement.accepted
        assert judgement.message == ""
        assert judgement.answer == "A loan runs 21 days."
        assert judgement.outcome == "OUTCOME_OK"
        assert judgement.refs == ("/docs/Loans.md",)

    def test_every_gate_and_rule_gives_a_verdict(self) -> None:
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


# What the user sets, and which of the five rules that find a fault are off because of that
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


class TestEnforcements:
    """A user may let a rule block, let it ask, or turn it off.

    One submission is judged, in which five rules find a fault. All are judged, so that the user
    can see what a rule that is off would have stopped, but only the others tell the model.

    | rule                  | enforcement | fault                                            |
    |-----------------------|-------------|--------------------------------------------------|
    | `5`                   | ask         | a reason, "relevant document", fits any document |
    | `6/wording`           | ask         | the answer is the name of an outcome             |
    | `8`                   | block       | the answer lacks `22`, which the script wanted   |
    | `library/no-shouting` | ask         | the answer is in capitals                        |
    | `library/no-whisper`  | block       | this rule objects to every answer                |
    """

    @pytest.mark.parametrize(("enforcements", "keys_off"), ENFORCEMENT_CASES)
    def test_the_verdict_of_a_rule_that_is_off_says_so(
        self, enforcements: dict[str, str], keys_off: set[str]
    ) -> None:
        """If `{"6": "off"}` is set, gate 6 is off with its rules: of the five, this is
        `6/wording`."""
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
        self, enforcements: dict[str, str], keys_off: set[str]
    ) -> None:
        """The message is what the model gets to read. It has a line for each fault, such as "speak
        up" of the rule `library/no-whisper`."""
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


class TestAskingRules:
    """A rule that asks objects in two turns of a trial, and then lets the answer pass.

    The answer cites a file with the reason "relevant document", to which gate 5 objects. A model
    that submits it a third time has thought about the objection, and may be right.
    `earlier_objections` are those of earlier turns, by gate; only their number matters.
    """

    @pytest.mark.parametrize(
        ("earlier_objections", "count_in_message"),
        [
            pytest.param([], "objection 1 of 2]", id="first turn"),
            pytest.param(["too vague"], "objection 2 of 2]", id="second turn"),
        ],
    )
    def test_an_asking_rule_objects_in_two_turns(
        self, earlier_objections: list[str], count_in_message: str
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
        self, earlier_objections: list[str]
    ) -> None:
        """The objection is recorded, but the answer is accepted."""
        judgement = judge_vague_reason({"5": earlier_objections})

        assert judgement.accepted
        assert judgement.message == ""
        asking_verdict = verdict_of(judgement, 5)
        assert asking_verdict.result == "overridden"
        assert "names nothing that was found there" in asking_verdict.reason

    def test_a_blocking_gate_still_rejects_after_two_objections(self) -> None:
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
