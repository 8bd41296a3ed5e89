"""The form of the next reply, after replies with a broken script or another fault.

A script in a JSON string is often broken by wrong escapes, so after two of them the model is asked
for text with the script in a fence (```).
"""

from controlplane.agent.loop.loop_limits import (
    FENCED_TEXT,
    FormFaults,
    RepeatCount,
    next_choice,
)
from controlplane.agent.loop.patient_model import DEFAULT_FORM
from controlplane.agent.model import ReplyMode


def broken_scripts(times: int) -> FormFaults:
    """Return the faults after so many replies in a row whose script has a syntax error."""
    return FormFaults(broken_scripts=RepeatCount(times, last=True))


def test_after_two_broken_scripts_in_json_a_fence_is_asked_for() -> None:
    choice = next_choice(DEFAULT_FORM, ReplyMode.SCHEMA, broken_scripts(2))

    assert choice.form == FENCED_TEXT
    assert "fence" in choice.note_to_model


def test_after_one_broken_script_the_form_stays() -> None:
    choice = next_choice(DEFAULT_FORM, ReplyMode.SCHEMA, broken_scripts(1))

    assert choice.form == DEFAULT_FORM
    assert choice.note_to_model == ""


def test_a_model_that_was_asked_for_a_fence_is_not_asked_again() -> None:
    """The endpoint goes on to send JSON, and the script in it is broken a third time."""
    choice = next_choice(FENCED_TEXT, ReplyMode.SCHEMA, broken_scripts(3))

    assert choice.form == FENCED_TEXT
    assert choice.note_to_model == ""
