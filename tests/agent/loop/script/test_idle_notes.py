"""A note tells the model what its script lacks if it neither printed nor submitted anything.

Some models only set a variable `answer`. A script submits its answer by
`harness.answer(scratchpad, verify)`. `idle_note(code)` is the note on a script with this code.
"""

from controlplane.agent.loop.cited_loop import idle_note


def test_the_note_on_a_variable_called_answer_shows_how_to_submit_its_text() -> None:
    """The script has only the line `answer = "14:30"`."""
    note = idle_note('answer = "14:30"')

    assert 'scratchpad["answer"] = "14:30"' in note
    assert "harness.answer(scratchpad, verify)" in note


def test_the_note_on_a_script_without_a_result_says_to_print() -> None:
    """The script has a variable `answer`, but not with a text that the note could show."""
    note = idle_note("count = 3\nanswer = count")

    assert "Print" in note
    assert "scratchpad" not in note
