from controlplane.agent.events import StepDone
from controlplane.agent.loop.limits.repetition import RepetitionLimit
from controlplane.agent.loop.script.unsubmitted_notes import idle_note, left_answer_note
from controlplane.agent.loop.session.call_notes import find_note
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox import Ending

FAILED = StepDone(
    trial_id="t",
    step=1,
    code="count += 1",
    error="NameError: name 'count' is not defined",
    ending=Ending.RAISED,
)


def test_an_answer_that_was_set_and_not_submitted_is_told_with_what_is_missing() -> (
    None
):
    note = left_answer_note({}, {"answer": "7"}, "")
    assert "nothing was submitted" in note
    assert 'scratchpad["outcome"]' in note
    assert "harness.answer(scratchpad, verify)" in note


def test_an_answer_of_an_earlier_step_is_not_told_again() -> None:
    assert left_answer_note({"answer": "7"}, {"answer": "7"}, "a table of counts") == ""
    assert left_answer_note({"answer": "7"}, {"answer": "7"}, "")


def test_a_text_that_only_the_script_called_answer_is_submitted_by_the_note() -> None:
    note = idle_note('answer = "14:30"')
    assert 'scratchpad["answer"] = "14:30"' in note
    assert "harness.answer(scratchpad, verify)" in note


def test_a_script_that_left_nothing_is_told_to_print_or_to_submit() -> None:
    note = idle_note("count = 3\nanswer = count")
    assert "Print" in note
    assert "scratchpad" not in note


def test_a_find_for_a_path_gives_the_call_that_reads_it() -> None:
    note = find_note("find", {"name": "docs/trips.md"}, {"paths": []}, can_read=True)
    assert 'harness.read("/docs/trips.md")' in note


def test_a_find_for_a_pattern_with_a_folder_gives_the_root() -> None:
    note = find_note("find", {"name": "/docs/*.md"}, {"paths": []}, can_read=True)
    assert 'harness.find("*.md", root="/docs")' in note


def test_a_find_that_found_something_needs_no_note() -> None:
    assert find_note("find", {"name": "a/b"}, {"paths": ["/a/b"]}, can_read=True) == ""
    assert find_note("find", {"name": "trips.md"}, {"paths": []}, can_read=True) == ""


def test_a_script_that_failed_is_told_at_its_first_repetition() -> None:
    repetition = RepetitionLimit(5, 5)
    repetition.count(TrialStep(1, done=FAILED))

    assert repetition.warning == ""
    repetition.count(TrialStep(2, done=FAILED))
    assert "name 'count' is not defined" in repetition.warning
