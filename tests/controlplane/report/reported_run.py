"""Journals made for reports: trials with steps, calls, verdicts and scores as a test wants them, and hostile text."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.events import (
    AnswerSent,
    CallDone,
    CallFailure,
    CallRecord,
    CallSent,
    ConversationOpened,
    Judged,
    ModelReplied,
    StepDone,
    SubmissionJudged,
    VerdictRecord,
)
from agent.model.model_protocol import Usage
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
    TrialStarted,
    Versions,
)
from tests.support.scored_journal import VERSIONS, written

BEGAN_MS = 1_790_000_000_000
GATES = (VerdictRecord(gate=4, name="citations were read", result="pass", reason=""),)
SENT_BACK = (
    VerdictRecord(gate=4, name="citations were read", result="reject", reason="read /a first"),
    VerdictRecord(gate=0, name="ecom/return", result="not_applicable", reason="no policy"),
)
HOSTILE = (
    "</script></style></title><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "<svg onload=alert(1)>'\"`{{ 7*7 }}{% raw %}<!--]]>&lt;b&gt;javascript:alert(1)\u202etxt\x00\x1b[31m\u2028"
)


@dataclass(frozen=True)
class Played:
    """One trial: its task, its score, the verdicts on each of its submissions, and the texts of its steps."""

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


def journal(path: Path, trials: Sequence[Played], *, name: str = "first", closed: bool = True) -> Path:
    """Write a journal of these trials and return its path."""
    ids = [f"{each.task}-r{at}" for at, each in enumerate(trials)]
    events: list[JournalEvent] = [
        RunOpened(
            at_ms=BEGAN_MS,
            run=path.stem,
            name=name,
            benchmark="shelf",
            model="canned",
            settings=(Setting(name="limit", value=len(trials), source="flag"),),
            versions=VERSIONS,
        ),
        RunStarted(
            at_ms=BEGAN_MS,
            run_id="r",
            trials=tuple(
                AllottedTrial(trial_id=each, task_id=trial.task) for each, trial in zip(ids, trials, strict=True)
            ),
        ),
    ]
    for trial_id, trial in zip(ids, trials, strict=True):
        events += trial_events(trial_id, trial)
    if closed:
        events += [
            RunSubmitted(at_ms=BEGAN_MS + 60_000, forced=False, state="evaluated", score=None),
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
        ConversationOpened(trial_id=trial_id, system="the system prompt " * 40, first_message=("turn ", "one")),
    ]
    silent: tuple[tuple[VerdictRecord, ...], ...] = ((),) * trial.steps
    for number, verdicts in enumerate((*silent, *trial.submissions), start=1):
        events += step_events(trial_id, number, verdicts, trial.text)
    return [
        *events,
        AnswerSent(trial_id=trial_id, step=1, message=f"answer of {trial.task}", outcome="OUTCOME_OK", refs=("/a",)),
        TrialEnded.model_validate(
            {"trial_id": trial_id, "how": trial.how, "reason": trial.reason, "elapsed_ms": 1_500.0}
        ),
        Scored(trial_id=trial_id, score=trial.score, details=trial.details),
    ]


def step_events(trial_id: str, number: int, verdicts: tuple[VerdictRecord, ...], text: str) -> list[JournalEvent]:
    """Return a step with a call, and with a submission if there are verdicts on one."""
    at = {"trial_id": trial_id, "step": number}
    found: list[JournalEvent] = [
        ModelReplied(
            **at,
            reply="{}",
            usage=Usage(prompt_tokens=100 * number, cached_tokens=50, completion_tokens=10),
            cost_usd=0.01,
            elapsed_ms=200,
        ),
        CallSent(**at, number=0, operation="read", arguments={"path": f"/doc-{number}.md"}),
        CallDone(**at, number=0, result={"content": text}),
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


def hostile_journal(path: Path, text: str = HOSTILE) -> Path:
    """Write a journal that holds `text` wherever a model, an environment, a grader or a user's setting may write."""
    at = {"trial_id": f"id {text}", "step": 1}
    verdict = VerdictRecord(gate=0, name=text, result="reject", reason=text)
    other = verdict.model_copy
    judged = Judged(
        accepted=False,
        answer=text,
        outcome=text,
        refs=(text,),
        message=text,
        verdicts=(verdict, other(update={"gate": 4}), other(update={"result": text})),
    )
    failure = CallFailure(code=text, message=text)
    call = {"operation": text, "arguments": {text: text}}
    events: list[JournalEvent] = [
        RunOpened(
            run=text,
            name=text,
            benchmark=text,
            model=text,
            settings=(Setting(name=text, value=text, source=text),),
            versions=Versions(controlplane=text, python="3.11", gates=text, prompts=text),
        ),
        RunStarted(run_id=text, trials=(AllottedTrial(trial_id=at["trial_id"], task_id=text),)),
        RunNotice(text=text),
        TrialStarted(
            trial_id=at["trial_id"], task_id=text, instruction=text, now="2026-01-05T09:00:00", tool_schema=text
        ),
        CallSent(**at | {"step": 0}, number=0, **call),
        CallDone(**at | {"step": 0}, number=0, error=failure),
        ConversationOpened(
            trial_id=at["trial_id"],
            system=text,
            first_message=(text,),
            calls=(CallRecord(operation=text, arguments={}),),
        ),
        ModelReplied(**at, reply=text, reasoning=text, finish_reason=text),
        CallSent(**at, number=0, **call),
        CallDone(**at, number=0, result={text: text, "more": [text, {text: text}]}),
        SubmissionJudged(**at, number=0, judged=judged),
        StepDone(
            **at,
            state=text,
            plan=(text,),
            code=f"print({text!r})\n{text}",
            output=text,
            error=text,
            ending=text,
            calls=(CallRecord(operation=text, arguments={}),),
            verdicts=(judged,),
            scratchpad={text: text, "refs_why": {text: text}, "answer": {text: [text]}},
            feedback=(text,),
        ),
        ModelReplied(**at | {"step": 2}, reply=text),
        StepDone(**at | {"step": 2}, state=text, error=text),
        AnswerSent(**at, message=text, outcome=text, refs=(text,)),
        TrialEnded(trial_id=at["trial_id"], how="fallback", reason=text, elapsed_ms=1),
        Scored(trial_id=at["trial_id"], score=0.5, details=(text, text * 3)),
        RunClosed(how="failed", exit_code=1, error=text),
    ]
    return written(path, events)
