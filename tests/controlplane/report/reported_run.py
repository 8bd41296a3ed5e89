"""Journals made for reports: trials with steps, calls,
verdicts and scores as a test wants them, and hostile text."""

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
from tests.support.scored_journal import VERSIONS, written

BEGAN_MS = 1_790_000_000_000
GATES = (VerdictRecord(gate=4, name="citations were read", result="pass", reason=""),)
SENT_BACK = (
    VerdictRecord(
        gate=4, name="citations were read", result="reject", reason="read /a first"
    ),
    VerdictRecord(
        gate=0, name="ecom/return", result="not_applicable", reason="no policy"
    ),
)
HOSTILE = (
    "</script></style></title><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "<svg onload=alert(1)>'\"`{{ 7*7 }}{% raw %}<!--]]>&lt;b&gt;javascript:alert(1)\u202etxt\x00\x1b[31m\u2028"
)


@dataclass(frozen=True)
class Played:
    """One trial: its task, its score, the verdicts on
    each of its submissions, and the texts of its steps."""

    task: str
    score: float | None = 1.0
    details: tuple[str, ...] = ()
    submissions: tuple[tuple[VerdictRecord, ...], ...] = (GATES,)
    steps: int = 0
    """Steps before the first that submits."""
    text: str = "seen"
    """What a call brings back and a script prints."""
    how: str = "answered"
    reason: str = ""


def run_events(run: str, name: str, trials: Sequence[Played]) -> list[JournalEvent]:
    """Return the events of a run of these trials that is not over."""
    ids = [f"{each.task}-r{at}" for at, each in enumerate(trials)]
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
        RunStarted(
            at_ms=BEGAN_MS,
            run_id="r",
            trials=tuple(
                AllottedTrial(trial_id=each, task_id=trial.task)
                for each, trial in zip(ids, trials, strict=True)
            ),
        ),
    ]
    for trial_id, trial in zip(ids, trials, strict=True):
        events += trial_events(trial_id, trial)
    return events


def journal(
    path: Path, trials: Sequence[Played], *, name: str = "first", closed: bool = True
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
    return written(path, events)


def trial_events(trial_id: str, trial: Played) -> list[JournalEvent]:
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
    silent: tuple[tuple[VerdictRecord, ...], ...] = ((),) * trial.steps
    for number, verdicts in enumerate((*silent, *trial.submissions), start=1):
        events += step_events(trial_id, number, verdicts, trial.text)
    return [
        *events,
        AnswerSent(
            trial_id=trial_id,
            step=1,
            message=f"answer of {trial.task}",
            outcome="OUTCOME_OK",
            refs=("/a",),
        ),
        TrialEnded.model_validate(
            {
                "trial_id": trial_id,
                "how": trial.how,
                "reason": trial.reason,
                "elapsed_ms": 1_500.0,
            }
        ),
        Scored(trial_id=trial_id, score=trial.score, details=trial.details),
    ]


def step_events(
    trial_id: str, number: int, verdicts: tuple[VerdictRecord, ...], text: str
) -> list[JournalEvent]:
    """Return a step with a call, and with a submission if there are verdicts on one."""
    at = {"trial_id": trial_id, "step": number}
    request: dict[str, Any] = {
        "operation": "read",
        "arguments": {"path": f"/doc-{number}.md"},
    }
    found: list[JournalEvent] = [
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
    sent_back = any(verdict.result == "reject" for verdict in verdicts)
    judged = Judged(
        accepted=not sent_back,
        answer=f"try {number}",
        outcome="OUTCOME_OK",
        refs=("/a",),
        message="the gates said no" if sent_back else "",
        verdicts=verdicts,
    )
    if verdicts:
        found.append(SubmissionJudged(**at, number=0, judged=judged))
    return [
        *found,
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
        ),
    ]


KEPT = ("type", "how", "now", "python", "result", "enforcement", "state")
"""Fields that no stranger writes: kinds, times and versions."""
FREE = ("arguments", "result", "scratchpad")
"""Fields whose tables have names of anybody's choice."""


def spoilt(value: Any) -> Any:
    """Return what an event holds with `HOSTILE` for every
    text, and for a name in each table of free names."""
    if isinstance(value, dict):
        held = {
            name: each if name in KEPT and isinstance(each, str) else spoilt(each)
            for name, each in value.items()
        }
        return held | {
            name: {HOSTILE: HOSTILE, **held[name]}
            for name in FREE
            if isinstance(held.get(name), dict)
        }
    if isinstance(value, list | tuple):
        return [spoilt(item) for item in value]
    return HOSTILE if isinstance(value, str) else value


def hostile_journal(path: Path) -> Path:
    """Write a journal that holds `HOSTILE` wherever a model,
    an environment, a grader or a user's setting may write."""
    begun = CallEvent(
        trial_id="h-r0",
        step=0,
        number=0,
        operation="read",
        arguments={},
        state="under_way",
    )
    failure = CallFailure(code="c", message="m")
    failed = begun.model_copy(
        update={"state": "failed", "error": failure, "was_announced": True}
    )
    submissions = (SENT_BACK, GATES)
    events = [
        *run_events(
            path.stem,
            "first",
            [
                Played(
                    "h", 0.5, ("no",), submissions, steps=1, how="fallback", reason="r"
                )
            ],
        ),
        RunNotice(text="n"),
        RunClosed(how="failed", exit_code=1, error="e"),
    ]
    opened = next(
        at for at, event in enumerate(events) if isinstance(event, ConversationOpened)
    )
    events[opened:opened] = [begun, failed]
    return written(
        path,
        [type(event).model_validate(spoilt(event.model_dump())) for event in events],
    )
