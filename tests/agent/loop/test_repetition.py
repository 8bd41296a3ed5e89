import pytest

from agent.events import Judged
from agent.events.call_records import VerdictRecord
from agent.loop.repetition import Repetition


def judged(answer: str = "17", *, accepted: bool = False, message: str = "[gate 8] no", gate: int = 8) -> Judged:
    verdict = VerdictRecord(gate=gate, name="shop/rule", result="reject", reason="no")
    return Judged(
        accepted=accepted,
        answer=answer,
        outcome="OUTCOME_OK",
        refs=(),
        message="" if accepted else message,
        verdicts=() if accepted else (verdict,),
    )


@pytest.mark.parametrize("ending", ["syntax", "refused"])
def test_a_script_refused_in_the_same_words_as_often_as_allowed_is_a_reason(ending: str) -> None:
    seen = Repetition(3)
    for _ in range(2):
        seen.note("import os", ending, [])
        assert seen.reason == ""
    seen.note("import os", ending, [])
    assert "same script 3 times in a row" in seen.reason


@pytest.mark.parametrize(
    "between",
    [("import sys", "refused", []), ("print(1)", "finished", []), ("import os", "finished", []), ("", "", [])],
)
def test_another_step_interrupts_a_row_of_scripts(between: tuple[str, str, list[Judged]]) -> None:
    seen = Repetition(3)
    for step in [("import os", "refused", [])] * 2 + [between] + [("import os", "refused", [])] * 2:
        seen.note(*step)
        assert seen.reason == ""


def test_scripts_that_run_may_be_repeated() -> None:
    seen = Repetition(2)
    for ending in ("finished", "raised", "limit", "killed") * 3:
        seen.note("print(1)", ending, [])
    assert seen.reason == ""


def test_the_same_submission_sent_back_is_counted_over_the_steps_between() -> None:
    seen = Repetition(3)
    for at in range(3):
        assert seen.reason == ""
        seen.note(f"print({at})", "finished", [])
        seen.note(f"# {at}", "raised", [judged()])
    assert "same answer 3 times in a row, each time sent back by gate 8" in seen.reason


def test_the_reason_names_rules() -> None:
    seen = Repetition(1)
    seen.note("", "raised", [judged(gate=0)])
    assert seen.reason.endswith("by shop/rule")


def test_several_submissions_of_one_script_count_once() -> None:
    seen = Repetition(3)
    seen.note("", "finished", [judged()] * 9)
    assert seen.reason == ""


@pytest.mark.parametrize(
    "other",
    [judged("18"), judged(message="[gate 4] no"), judged(accepted=True), judged().model_copy(update={"refs": ("/a",)})],
)
def test_another_submission_begins_a_new_row(other: Judged) -> None:
    seen = Repetition(3)
    for each in (judged(), judged(), other, judged(), judged()):
        seen.note("", "raised", [each])
        assert seen.reason == ""
