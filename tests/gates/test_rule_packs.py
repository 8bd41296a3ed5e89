"""Packs of rules beside the gates."""

from gates import Case, Pack, Rule, Submission, judge
from gates.types import Evidence
from tests.gates.sample_trials import Verify, pad


def test_rules_of_a_pack_stand_behind_the_gates() -> None:
    pack = Pack("library", (Rule("no-shouting", lambda s, e, c: "do not shout" if str(s.answer).isupper() else ""),))
    submission = Submission.from_scratchpad(pad(answer="21 DAYS"), Verify())
    judgement = judge(submission, Evidence(), Case("x"), packs=(pack,))
    assert not judgement.accepted
    assert judgement.message == "[library/no-shouting] do not shout"
    assert (judgement.verdicts[-1].gate, judgement.verdicts[-1].name) == (0, "library/no-shouting")
