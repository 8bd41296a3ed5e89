"""Journals for tests of reports, written without running anything.

A test describes trials (`ReportedTrial`) and gets a journal (`journal_of_trials`) or its events
(`run_events`, `trial_events`). `hostile_journal` writes one with hostile text in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controlplane.agent.events import (
    AnswerSent,
    CallEvent,
    CallFailure,
    CallRecord,
    ConversationOpened,
    Judged,
    ModelReplied,
    StepDone,
    SubmissionJudged,
    TrialStarted,
    VerdictRecord,
)
from controlplane.agent.model import Usage
from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    RunClosed,
    RunNotice,
    RunOpened,
    RunStarted,
    RunSubmitted,
    Scored,
    Setting,
    TrialEnded,
)
from tests.support.scored_journal import VERSIONS, write_journal

BEGAN_MS = 1_790_000_000_000
ACCEPTED_VERDICTS = (
    VerdictRecord(gate=4, name="citations were read", result="pass", reason=""),
)
"""The verdicts of gates on a submission that is accepted."""
REJECTED_VERDICTS = (
    VerdictRecord(
        gate=4, name="citations were read", result="reject", reason="read /a first"
    ),
    VerdictRecord(
        gate=0, name="ecom/return", result="not_applicable", reason="no policy"
    ),
)
"""The verdicts of gates on a submission that is rejected."""
HOSTILE_MARKUP = (
    "</script></style></title><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "<svg onload=alert(1)>'\"`{{ 7*7 }}{% raw %}<!--]]>&lt;b&gt;javascript:alert(1)\u202etxt\x00\x1b[31m\u2028"
)


@dataclass(frozen=True)
class ReportedTrial:
    """One trial. `ReportedTrial("alpha.1")` submits once, is accepted and has the score 1."""

    task: str
    score: float | None = 1.0
    details: tuple[str, ...] = ()
    """What the grader says."""
    submissions: tuple[tuple[VerdictRecord, ...], ...] = (ACCEPTED_VERDICTS,)
    """For each submission the verdicts of the gates. Each submission is a step."""
    steps: int = 0
    """Steps before the first that submits."""
    text: str = "seen"
    """What a call brings back and a script prints."""
    how: str = "answered"
    reason: str = ""


def run_events(
    run: str, name: str, trials: Sequence[ReportedTrial]
) -> list[JournalEvent]:
    """Return the events of a run of these trials that is not over."""
    trial_ids = [f"{trial.task}-r{number}" for number, trial in enumerate(trials)]
    allotted = [
        AllottedTrial(trial_id=trial_id, task_id=trial.task)
        for trial_id, trial in zip(trial_ids, trials, strict=True)
    ]
    events: list[JournalEvent] = [
        RunOpened(
            at_ms=BEGAN_MS,
            run=run,
            name=name,
            benchmark="shelf",
            model="canned",
            settings=(Setting(name="model", value="canned", source="flag"),),
            versions=VERSIONS,
        ),
        RunStarted(at_ms=BEGAN_MS, run_id="r", trials=tuple(allotted)),
    ]
    for trial_id, trial in zip(trial_ids, trials, strict=True):
        events += trial_events(trial_id, trial)
    return events


def journal_of_trials(
    path: Path,
    trials: Sequence[ReportedTrial],
    *,
    name: str = "first",
    closed: bool = True,
) -> Path:
    """Write a journal of these trials and return its path."""
    events = run_events(path.stem, name, trials)
    if closed:
        events += [
            RunSubmitted(
                at_ms=BEGAN_MS + 60_000, forced=False, state="evaluated", score=None
            ),
            RunClosed(at_ms=BEGAN_MS + 61_000, how="finished", exit_code=0),
        ]
    return write_journal(path, events)


def trial_events(trial_id: str, trial: ReportedTrial) -> list[JournalEvent]:
    """Return the events of one trial."""
    events: list[JournalEvent] = [
        TrialStarted(
            trial_id=trial_id,
            task_id=trial.task,
            instruction=f"What does {trial.task} ask?",
            now="2031-05-04T09:30:00+00:00",
            tool_schema="{}",
        ),
        ConversationOpened(
            trial_id=trial_id,
            system="the system prompt " * 40,
            first_message=("turn ", "one"),
        ),
    ]
    for number in range(1, trial.steps + 1):
        events += step_events(trial_id, number, verdicts=(), text=trial.text)
    for number, verdicts in enumerate(trial.submissions, start=trial.steps + 1):
        events += step_events(trial_id, number, verdicts=verdicts, text=trial.text)

    events.append(
        AnswerSent(
            trial_id=trial_id,
            step=trial.steps + len(trial.submissions),
            message=f"answer of {trial.task}",
            outcome="OUTCOME_OK",
            refs=("/a",),
        )
    )
    # Validating checks that `how`, any text for `ReportedTrial`, is one that the event may have.
    end = {
        "trial_id": trial_id,
        "how": trial.how,
        "reason": trial.reason,
        "elapsed_ms": 1_500.0,
    }
    events.append(TrialEnded.model_validate(end))
    events.append(Scored(trial_id=trial_id, score=trial.score, details=trial.details))
    return events


def step_events(
    trial_id: str, number: int, verdicts: tuple[VerdictRecord, ...], text: str
) -> list[JournalEvent]:
    """Return a step with a call, whose result is `text`, and with a submission if there
    are verdicts on one. The submission is rejected if one of the verdicts is."""
    at = {"trial_id": trial_id, "step": number}
    request: dict[str, Any] = {
        "operation": "read",
        "arguments": {"path": f"/doc-{number}.md"},
    }
    events: list[JournalEvent] = [
        ModelReplied(
            **at,
            reply="{}",
            usage=Usage(
                prompt_tokens=100 * number, cached_tokens=50, completion_tokens=10
            ),
            cost_usd=0.01,
            elapsed_ms=200,
        ),
        CallEvent(**at, **request, number=0, state="under_way"),
        CallEvent(
            **at, **request, number=0, was_announced=True, result={"content": text}
        ),
    ]
    is_rejected = any(verdict.result == "reject" for verdict in verdicts)
    judged = Judged(
        accepted=not is_rejected,
        answer=f"try {number}",
        outcome="OUTCOME_OK",
        refs=("/a",),
        message="the gates said no" if is_rejected else "",
        verdicts=verdicts,
    )
    if verdicts:
        events.append(SubmissionJudged(**at, number=0, judged=judged))
    events.append(
        StepDone(
            **at,
            state=f"state {number}",
            plan=("first", "then"),
            code=f"for each in range({number}):\n    print('é𝄞', each)  # say\n",
            output=text,
            ending="finished",
            calls=(CallRecord(operation="read", arguments={}),),
            verdicts=(judged,) if verdicts else (),
            scratchpad={"seen": number, "refs_why": {"/a": "it says so"}},
            elapsed_ms=50,
        )
    )
    return events


OWN_FIELDS = ("type", "how", "now", "python", "result", "enforcement", "state")
"""Fields whose texts no stranger writes: kinds, times and versions."""
FIELDS_WITH_FREE_NAMES = ("arguments", "result", "scratchpad")
"""Fields with a dict whose keys a model or an environment chooses."""


def with_hostile_texts(value: Any) -> Any:
    """Return a value of an event's field with `HOSTILE_MARKUP` in place of every text that
    strangers write, and as a further key where strangers choose the keys."""
    if isinstance(value, str):
        return HOSTILE_MARKUP
    if isinstance(value, list | tuple):
        return [with_hostile_texts(item) for item in value]
    if not isinstance(value, dict):
        return value

    changed = {}
    for name, field in value.items():
        if name in OWN_FIELDS and isinstance(field, str):
            changed[name] = field
            continue
        changed[name] = with_hostile_texts(field)
        if name in FIELDS_WITH_FREE_NAMES and isinstance(field, dict):
            changed[name] = {HOSTILE_MARKUP: HOSTILE_MARKUP} | changed[name]
    return changed


def hostile_journal(path: Path) -> Path:
    """Write a journal that holds `HOSTILE_MARKUP` wherever a model,
    an environment, a grader or a user's setting may write."""
    trial = ReportedTrial(
        "h",
        score=0.5,
        details=("no",),
        submissions=(REJECTED_VERDICTS, ACCEPTED_VERDICTS),
        steps=1,
        how="fallback",
        reason="r",
    )
    events: list[JournalEvent] = []
    for event in run_events(path.stem, "first", [trial]):
        if isinstance(event, ConversationOpened):
            events += failed_call_before_the_first_step("h-r0")
        events.append(event)
    events.append(RunNotice(text="n"))
    events.append(RunClosed(how="failed", exit_code=1, error="e"))

    hostile_events = []
    for event in events:
        fields = with_hostile_texts(event.model_dump())
        hostile_events.append(type(event).model_validate(fields))
    return write_journal(path, hostile_events)


def failed_call_before_the_first_step(trial_id: str) -> list[JournalEvent]:
    """Return the events of a call that fails, made before the conversation opens."""
    started_call = CallEvent(
        trial_id=trial_id,
        step=0,
        number=0,
        operation="read",
        arguments={},
        state="under_way",
    )
    failed_call = started_call.model_copy(
        update={
            "state": "failed",
            "error": CallFailure(code="c", message="m"),
            "was_announced": True,
        }
    )
    return [started_call, failed_call]
