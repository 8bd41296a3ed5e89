"""Gate 8: a refusal need not fill in the form that its request shows.

"How many? Answer as <COUNT:%d>." demands an answer such as `<COUNT:3>`. A script that refuses the
request has no number, so the gate does not apply: whether a form is demanded or only quoted, and
whether the answer fills it or not.
"""

from __future__ import annotations

import pytest

from tests.gates.found_verdicts import verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


@pytest.mark.parametrize(
    ("instruction", "answer"),
    [
        # The answer fills the form.
        ("How many? Answer as <COUNT:%d>.", "<COUNT:3>"),
        ("How many? Answer as <COUNT:%d>.", "There are <COUNT:3> of them."),
        ("Wie viele? Antworte als [ANZAHL: %d].", "[ANZAHL: 3]"),
        ("Combien ? <NOMBRE:%d>", "<NOMBRE:3>"),
        ("Answer <A:%d> or <B:%s>.", "<B:none>"),
        # The answer does not fill the form.
        ("How many? Answer as <COUNT:%d>.", "3"),
        ("How many? Answer as <COUNT:%d>.", "<COUNT:three>"),
        ("Wie viele? Antworte als [ANZAHL: %d].", "3"),
        # No form is demanded.
        ('They said "answer with <COUNT:%d> and so on". How many?', "3"),
        ("How many?\n> Answer as <COUNT:%d>.\n", "3"),
        ("How many?\n```\nAnswer as <COUNT:%d>.\n```", "3"),
        ("How many? Answer as %d.", "three"),
        ("How many? Answer as <COUNT:n>.", "3"),
    ],
)
def test_a_refusal_need_not_fill_the_placeholder(instruction: str, answer: str) -> None:
    scratchpad = valid_scratchpad(answer=answer, outcome="OUTCOME_NONE_UNSUPPORTED")

    judgement = judge_scratchpad(scratchpad, instruction=instruction)

    assert verdict_of(judgement, 8).result == "not_applicable"
