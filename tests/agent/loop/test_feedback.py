from agent.loop.feedback import MOST_NOTES, step_feedback
from sandbox import Ending, StepResult

DONE = StepResult(output="", error="", ending=Ending.FINISHED, scratchpad={}, calls=0, elapsed_ms=1.0)


def told(notes: list[str]) -> str:
    return "".join(step_feedback(1, DONE, [], notes))


def test_a_note_is_told_once_and_many_are_counted() -> None:
    assert told(["a", "b", "a"]).endswith("<notes>\na\nb\n</notes>\n")
    text = told([f"note {number}" for number in range(MOST_NOTES + 3)])
    assert text.endswith(f"note {MOST_NOTES - 1}\n… and 3 more notes.\n</notes>\n")
