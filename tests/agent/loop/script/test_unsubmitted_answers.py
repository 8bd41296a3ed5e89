"""A note tells the model that the answer of its script was not submitted.

A script keeps values for later steps in its `scratchpad`, a mapping such as `{"answer": "7"}`. The answer
is sent only by `harness.answer(scratchpad, verify)`, where `verify` checks it.
`left_answer_note(before, after, output)` is the note on a script that has changed the scratchpad so.
"""

from types import SimpleNamespace
from typing import Any

import pytest

from controlplane.agent.loop.cited_loop import left_answer_note
from controlplane.sandbox.interface import Plain


def test_the_note_on_an_unsubmitted_answer_says_what_is_missing() -> None:
    """The script has set an answer in the scratchpad, and has not submitted it."""
    note = left_answer_note(before={}, after={"answer": "7"}, output="")

    assert "nothing was submitted" in note
    assert 'scratchpad["outcome"]' in note
    assert "harness.answer(scratchpad, verify)" in note


@pytest.mark.parametrize("answer", ["14:30", True, [1, None], {"late": False}])
def test_the_code_in_the_note_is_python_that_compares_the_answer(answer: Plain) -> None:
    note = left_answer_note(before={}, after={"answer": answer}, output="")

    code = note.partition("submit it:\n")[2].removesuffix("\n</note>\n")
    submitted: list[bool] = []
    names: dict[str, Any] = {
        "scratchpad": {"answer": answer},
        "harness": SimpleNamespace(
            answer=lambda scratchpad, verify: submitted.append(verify(scratchpad))
        ),
    }
    exec(code, names)
    assert submitted == [True]


def test_a_script_that_printed_nothing_gets_a_note_on_an_earlier_answer() -> None:
    """The model may believe that the answer of an earlier step was submitted."""
    scratchpad: dict[str, Plain] = {"answer": "7"}

    note = left_answer_note(before=scratchpad, after=scratchpad, output="")

    assert note != ""


def test_a_script_that_printed_something_gets_no_note_on_an_earlier_answer() -> None:
    """The model is probably checking its answer."""
    scratchpad: dict[str, Plain] = {"answer": "7"}

    note = left_answer_note(
        before=scratchpad, after=scratchpad, output="a table of counts"
    )

    assert note == ""
