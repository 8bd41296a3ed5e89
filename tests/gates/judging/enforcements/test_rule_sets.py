"""A user may turn the rules of a rule set off, or let them ask or block.

`{"library": "off"}` turns all rules of the set `library` off, and `{"library/no-whisper": "off"}`
one of them. The message to the model has a line for each rule that objects and is not off.
"""

from __future__ import annotations

from tests.gates.found_verdicts import rejecting_keys, verdict_of
from tests.gates.judging.enforcements.shouting import judge_shouting


def test_rules_ask_or_block_as_they_are_declared() -> None:
    judgement = judge_shouting({})

    assert rejecting_keys(judgement) == ["library/no-shouting", "library/no-whisper"]
    assert verdict_of(judgement, "library/no-shouting").enforcement == "ask"
    assert verdict_of(judgement, "library/no-whisper").enforcement == "block"
    assert judgement.message.splitlines() == [
        "[library/no-shouting; objection 1 of 2] do not shout",
        "[library/no-whisper] speak up",
    ]


def test_a_rule_set_is_off_with_all_its_rules() -> None:
    judgement = judge_shouting({"library": "off"})

    assert rejecting_keys(judgement) == ["library/no-shouting", "library/no-whisper"]
    assert verdict_of(judgement, "library/no-shouting").enforcement == "off"
    assert verdict_of(judgement, "library/no-whisper").enforcement == "off"
    assert judgement.accepted
    assert judgement.message == ""


def test_one_rule_of_a_set_can_be_off() -> None:
    judgement = judge_shouting({"library/no-whisper": "off"})

    assert rejecting_keys(judgement) == ["library/no-shouting", "library/no-whisper"]
    assert verdict_of(judgement, "library/no-shouting").enforcement == "ask"
    assert verdict_of(judgement, "library/no-whisper").enforcement == "off"
    assert judgement.message == ("[library/no-shouting; objection 1 of 2] do not shout")


def test_a_rule_set_can_be_off_except_for_one_rule() -> None:
    judgement = judge_shouting({"library": "off", "library/no-whisper": "ask"})

    assert rejecting_keys(judgement) == ["library/no-shouting", "library/no-whisper"]
    assert verdict_of(judgement, "library/no-shouting").enforcement == "off"
    assert verdict_of(judgement, "library/no-whisper").enforcement == "ask"
    assert judgement.message == "[library/no-whisper; objection 1 of 2] speak up"
