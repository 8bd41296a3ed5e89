"""Writes journals for tests of reports, without running anything.

A journal is the record of a run: a file with an event a line. A test describes the run's trials,
as in `journal_of_trials(path, [ReportedTrial("alpha.1", score=0.0)])`, and gets the journal of such
a run. `hostile_journal` writes one whose texts try to break out of an HTML page.
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
"""When each run begins: in September 2026, in milliseconds since 1970."""

# A gate is a check of a submitted answer. A rule is one that the benchmark adds; it is recorded as
# gate 0. Each of them has a verdict on each submission, and a single rejection sends the answer back
# to the model.
ACCEPTED_VERDICTS = (
    VerdictRecord(gate=4, name="citations were read", result="pass", reason=""),
)
"""The verdict on a submission that is accepted."""

GATE_REJECTS = VerdictRecord(
    gate=4, name="citations were read", result="reject", reason="read /a first"
)
RULE_DOES_NOT_APPLY = VerdictRecord(
    gate=0, name="ecom/return", result="not_applicable", reason="no policy"
)
REJECTED_VERDICTS = (GATE_REJECTS, RULE_DOES_NOT_APPLY)
"""The verdicts on a submission that is rejected."""

REJECTED_ONCE = (REJECTED_VERDICTS, (RULE_DOES_NOT_APPLY,))
"""The verdicts on two submissions of a trial: the first is rejected, and the second accepted."""

HOSTILE_MARKUP = "".join(
    [
        # Ends the elements that it may stand in, and begins some that run a script.
        "</script></style></title>",
        "<script>document.title='owned'</script>",
        "<img src=x onerror=\"document.title='owned'\">",
        "<svg onload=alert(1)>",
        # Ends attributes, and means something to templates, comments and links.
        "'\"`{{ 7*7 }}{% raw %}<!--]]>&lt;b&gt;javascript:alert(1)",
        # Turns the direction of the text, and has a null, an escape sequence, and a line end.
        "\u202etxt\x00\x1b[31m\u2028",
    ]
)


@dataclass(frozen=True)
class ReportedTrial:
    """What is recorded of a trial, one attempt at a task.

    `ReportedTrial("alpha.1")` submits an answer once, is accepted and has the score 1.
    """

    task: str
    score: float | None = 1.0
    details: tuple[str, ...] = ()
    """The grader's reasons for the score, such as "answer should be '7'"."""
    submissions: tuple[tuple[VerdictRecord, ...], ...] = (ACCEPTED_VERDICTS,)
    """The verdicts on each submitted answer. Each submission is a step of the trial."""
    steps: int = 0
    """The number of steps before the first submission."""
    text: str = "seen"
    """The result of each call to the environment, which the script of the step prints."""
    how: str = "answered"
    """How the trial ended: "answered", "fallback", ..."""
    reason: str = ""
    """Why it ended so."""


MODEL_SETTING = Setting(name="model", value="canned", source="flag")
"""The one setting of most runs: `--model canned`."""


def run_events(
    run: str,
    name: str,
    trials: Sequence[ReportedTrial],
    settings: Sequence[Setting] = (MODEL_SETTING,),
) -> list[JournalEvent]:
    """Return the events of a run with these trials, without the events of its end.

    `run` is the run's id and `name` what the user calls it. The trials get ids such as
    "alpha.1-r0" and "beta.1-r1".
    """
    allotted = []
    events_of_trials = []
    for number, trial in enumerate(trials):
        trial_id = f"{trial.task}-r{number}"
        allotted.append(AllottedTrial(trial_id=trial_id, task_id=trial.task))
        events_of_trials += trial_events(trial_id, trial)
    return [
        RunOpened(
            at_ms=BEGAN_MS,
            run=run,
            name=name,
            benchmark="shelf",
            model="canned",
            settings=tuple(settings),
            versions=VERSIONS,
        ),
        RunStarted(at_ms=BEGAN_MS, run_id="r", trials=tuple(allotted)),
        *events_of_trials,
    ]


def journal_of_trials(
    path: Path,
    trials: Sequence[ReportedTrial],
    *,
    name: str = "first",
    settings: Sequence[Setting] = (MODEL_SETTING,),
    closed: bool = True,
) -> Path:
    """Write the journal of a run with these trials and settings, and return its path.

    Unless it is `closed`, the journal ends behind the last trial, as if the run were killed there.
    """
    events = run_events(path.stem, name, trials, settings)
    if closed:
        events += [
            RunSubmitted(
                at_ms=BEGAN_MS + 60_000, forced=False, state="evaluated", score=None
            ),
            RunClosed(at_ms=BEGAN_MS + 61_000, how="finished", exit_code=0),
        ]
    return write_journal(path, events)


def trial_events(trial_id: str, trial: ReportedTrial) -> list[JournalEvent]:
    """Return the events of one trial: its start, its steps, the answer sent, its end and score."""
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
    """Return the events of a step: the model's reply, a call with the result `text`, and the
    step's end.

    If there are `verdicts`, the step submits an answer, too, as `judged_answer` records it.
    """
    at = {"trial_id": trial_id, "step": number}
    begun_call = CallEvent(
        **at,
        number=0,
        operation="read",
        arguments={"path": f"/doc-{number}.md"},
        state="under_way",
    )
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
        begun_call,
        ended_call(begun_call, state="made", result={"content": text}),
    ]
    submissions: list[Judged] = []
    if verdicts:
        judged = judged_answer(f"try {number}", verdicts)
        submissions.append(judged)
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
            verdicts=tuple(submissions),
            scratchpad={"seen": number, "refs_why": {"/a": "it says so"}},
            elapsed_ms=50,
        )
    )
    return events


def judged_answer(answer: str, verdicts: tuple[VerdictRecord, ...]) -> Judged:
    """Return the record of a submitted answer. It is rejected if a verdict is."""
    is_rejected = any(verdict.result == "reject" for verdict in verdicts)
    return Judged(
        accepted=not is_rejected,
        answer=answer,
        outcome="OUTCOME_OK",
        refs=("/a",),
        message="the gates said no" if is_rejected else "",
        verdicts=verdicts,
    )


def ended_call(begun_call: CallEvent, **end: Any) -> CallEvent:
    """Return the second event of a call, which follows `begun_call` and adds the fields of its end:
    `ended_call(begun_call, state="made", result={"content": "seen"})`."""
    return begun_call.model_copy(update={"was_announced": True, **end})


# Which texts of an event `with_hostile_texts` replaces.
FIELDS_OF_THE_PRODUCT = (
    "type",
    "how",
    "now",
    "python",
    "result",
    "enforcement",
    "state",
)
"""Fields that keep their texts, as only the product writes these: kinds, times and versions."""
FIELDS_WITH_FREE_KEYS = ("arguments", "result", "scratchpad")
"""Fields with a dict whose keys a model or an environment chooses. It gets a hostile key, too."""


def with_hostile_texts(value: Any) -> Any:
    """Return an event's data with `HOSTILE_MARKUP` in place of each text from outside.

    `{"type": "notice", "text": "hello"}` gives `{"type": "notice", "text": HOSTILE_MARKUP}`. A dict
    whose keys a model or an environment chooses gets `HOSTILE_MARKUP` as a further key.
    """
    if isinstance(value, str):
        return HOSTILE_MARKUP
    if isinstance(value, list | tuple):
        return [with_hostile_texts(item) for item in value]
    if not isinstance(value, dict):
        return value

    changed = {}
    for name, field in value.items():
        if name in FIELDS_OF_THE_PRODUCT and isinstance(field, str):
            changed[name] = field
            continue
        changed[name] = with_hostile_texts(field)
        if name in FIELDS_WITH_FREE_KEYS and isinstance(field, dict):
            changed[name] = {HOSTILE_MARKUP: HOSTILE_MARKUP, **changed[name]}
    return changed


def hostile_journal(path: Path) -> Path:
    """Write a journal with `HOSTILE_MARKUP` in all texts that a model, an environment, a grader
    or a user's setting may write, and return its path.

    Its one trial has all kinds of events: a rejected and an accepted answer, a failed call, ...
    """
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
    begun_call = CallEvent(
        trial_id=trial_id,
        step=0,
        number=0,
        operation="read",
        arguments={},
        state="under_way",
    )
    error = CallFailure(code="c", message="m")
    return [begun_call, ended_call(begun_call, state="failed", error=error)]
