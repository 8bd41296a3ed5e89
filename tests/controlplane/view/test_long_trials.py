"""The pages of a trial take work that grows as its steps do, and no faster.

A trial of 400 steps has twice the pages of one of 200, and each page shows what its step has: what
a check held, what the user decided, what the model was told, and how much memory the script took.
"""

from pathlib import Path

from controlplane.agent.events import (
    CallApproval,
    CallStopped,
    ModelReplied,
    ScriptMeasured,
    StepDone,
    TrialEvent,
    TrialStarted,
)
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.view.trial_pages.trial_pages import pages_of
from tests.support.executed_work import assert_linear
from tests.support.journals import RUN_OPENED, write_journal


def events_of_trial(steps: int) -> list[TrialEvent]:
    """Return the events of a trial in whose steps a call is held, and the user asked."""
    events: list[TrialEvent] = [
        TrialStarted(
            trial_id="t", task_id="t", instruction="Pay.", now="", tool_schema=""
        )
    ]
    for step in range(1, steps + 1):
        place = {"trial_id": "t", "step": step}
        call = {"number": 0, "operation": "pay", "arguments": {"amount": step}}
        events += [
            ModelReplied(**place, reply="{}"),
            CallStopped(**place, **call, objection=f"{step} is too much"),
            CallApproval(**place, **call, text=f"pay {step}?", answer="refused"),
            ScriptMeasured(**place, peak_memory_bytes=step * 1_000_000),
            StepDone(
                **place,
                code="pay()",
                output="held",
                ending="raised",
                feedback=("<output>", "<notes>\n/a.md goes on\n</notes>\n"),
            ),
        ]
    return events


def test_a_page_shows_what_its_own_step_has(tmp_path: Path) -> None:
    path = write_journal(tmp_path / "r.jsonl", [RUN_OPENED, *events_of_trial(3)])

    with open_journal(path) as journal:
        pages = list(pages_of(journal.trials["t"]))

    second = pages[2]
    assert second.title == "step 2"
    texts = [part.text for part in second.parts]
    assert "held by the pre-call check, then not done: 2 is too much" in texts
    assert "refused by the user: pay 2?" in texts
    assert "/a.md goes on" in texts
    assert second.figures == "script 0 ms · up to 2 MB of memory"


def test_the_pages_of_a_trial_are_linear_in_its_steps(tmp_path: Path) -> None:
    size = 100
    journals: dict[int, Journal] = {}
    records: dict[int, TrialRecord] = {}
    for steps in (size // 2, size, 2 * size):
        events = [RUN_OPENED, *events_of_trial(steps)]
        path = write_journal(tmp_path / f"{steps}.jsonl", events)
        journals[steps] = open_journal(path)
        records[steps] = journals[steps].trials["t"].record

    def draw_pages(steps: int) -> None:
        trial = journals[steps].trials["t"]
        assert len(list(pages_of(trial, records[steps]))) == steps + 2

    assert_linear(draw_pages, size)
    for journal in journals.values():
        journal.close()
