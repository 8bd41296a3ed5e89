"""A user may turn the rules of a rule set off, or let them ask or block.

The answer "A LOAN RUNS 21 DAYS." breaks both rules of the set `library`. `no-shouting` forbids
capitals, and *asks*: it rejects two submissions of a trial at most, and then gives in.
`no-whisper` forbids any answer, and *blocks*: it rejects all. A rule that is *off* is still checked,
but rejects nothing. `{"library": "off"}` turns both rules off.
"""

from __future__ import annotations

from controlplane.gates.verdicts import Judgement
from tests.gates.found_verdicts import rejecting_keys, verdict_of
from tests.gates.judging.enforcements.shouting import judge_shouting


def enforcements(judgement: Judgement) -> list[tuple[str, str]]:
    """Return the broken rules, each with how it is enforced: `("library/no-whisper", "block")`."""
    broken_rules = rejecting_keys(judgement)
    return [(key, verdict_of(judgement, key).enforcement) for key in broken_rules]


def test_rules_ask_or_block_as_they_are_declared() -> None:
    judgement = judge_shouting({})

    assert enforcements(judgement) == [
        ("library/no-shouting", "ask"),
        ("library/no-whisper", "block"),
    ]
    assert judgement.message.splitlines() == [
        "[library/no-shouting; objection 1 of 2] do not shout",
        "[library/no-whisper] speak up",
    ]


def test_a_rule_set_is_off_with_all_its_rules() -> None:
    judgement = judge_shouting({"library": "off"})

    assert enforcements(judgement) == [
        ("library/no-shouting", "off"),
        ("library/no-whisper", "off"),
    ]
    assert judgement.accepted
    assert judgement.message == ""


def test_one_rule_of_a_set_can_be_off() -> None:
    judgement = judge_shouting({"library/no-whisper": "off"})

    assert enforcements(judgement) == [
        ("library/no-shouting", "ask"),
        ("library/no-whisper", "off"),
    ]
    assert judgement.message == "[library/no-shouting; objection 1 of 2] do not shout"


def test_a_rule_set_can_be_off_except_for_one_rule() -> None:
    """The remaining rule is declared to block, and is set to ask."""
    judgement = judge_shouting({"library": "off", "library/no-whisper": "ask"})

    assert enforcements(judgement) == [
        ("library/no-shouting", "off"),
        ("library/no-whisper", "ask"),
    ]
    assert judgement.message == "[library/no-whisper; objection 1 of 2] speak up"
