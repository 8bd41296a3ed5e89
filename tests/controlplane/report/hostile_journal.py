"""Writes the journal of a run whose texts try to break out of an HTML page.

    hostile_journal(folder / "run.jsonl")    # ... "instruction":"</script><script>..." ...

Each text that a model, an environment, a grader or a user may choose is `HOSTILE_MARKUP`, which
ends elements of HTML and begins scripts. Texts that only the product writes, such as the `type` of
an event, are as usual.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    ResolvedSetting,
    RunClosed,
    RunNotice,
    RunOpened,
    RunStarted,
    RunSubmitted,
    Scored,
    TrialEnded,
)
from controlplane.score_scale import RecordedScale
from tests.support.journals import RUN_OPENED, VERSIONS, write_journal

# The events of a run, with a text in place of theirs that tries to break out of an HTML page.
#
#     with_hostile_texts({"type": "notice", "text": "hello"})
#     ->    {"type": "notice", "text": HOSTILE_MARKUP}
#
# A page that shows the run must show `HOSTILE_MARKUP` as a text, and neither run its scripts nor
# load its images.

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

FIELDS_OF_THE_PRODUCT = (
    "type",
    "how",
    "now",
    "python",
    "result",
    "enforcement",
    "state",
)
"""Fields whose texts stay as they are, since only the product writes them: kinds or times."""

FIELDS_WITH_FREE_KEYS = ("arguments", "result", "scratchpad")
"""Fields whose value may be a dict with keys that a model or an environment chooses.

`result` is in both lists: of a verdict it is a text of the product ("reject"), of a call a dict.
"""


def with_hostile_texts(value: Any) -> Any:
    """Return an event's data with `HOSTILE_MARKUP` in place of each text from outside:

    {"text": "hello"}        -> {"text": HOSTILE_MARKUP}
    {"arguments": {"n": 1}}  -> {"arguments": {HOSTILE_MARKUP: HOSTILE_MARKUP, "n": 1}}
    """
    if isinstance(value, str):
        return HOSTILE_MARKUP
    if isinstance(value, list | tuple):
        return [with_hostile_texts(item) for item in value]
    if not isinstance(value, dict):
        return value

    changed = {}
    for name, field in value.items():
        if isinstance(field, str) and name in FIELDS_OF_THE_PRODUCT:
            changed[name] = field
        elif isinstance(field, dict) and name in FIELDS_WITH_FREE_KEYS:
            hostile_item = {HOSTILE_MARKUP: HOSTILE_MARKUP}
            changed[name] = hostile_item | with_hostile_texts(field)
        else:
            changed[name] = with_hostile_texts(field)
    return changed


# Submitted answers, with the verdicts of the checks on them.
#
# A gate is a check of a submitted answer. A rule is one that the benchmark adds; it is recorded as gate
# 0. Each of them gives a verdict, and one that rejects the answer sends it back to the model.

RULE_DOES_NOT_APPLY = VerdictRecord(
    gate=0, name="ecom/return", result="not_applicable", reason="no policy"
)

GATE_ACCEPTS = VerdictRecord(
    gate=4, name="citations were read", result="pass", reason=""
)

GATE_REJECTS = VerdictRecord(
    gate=4, name="citations were read", result="reject", reason="read /a first"
)


def accepted_answer(text: str) -> Judged:
    """Return the record of a submitted answer that is accepted."""
    return Judged(
        accepted=True,
        answer=text,
        outcome="OUTCOME_OK",
        refs=("/a",),
        message="",
        verdicts=(GATE_ACCEPTS, RULE_DOES_NOT_APPLY),
    )


def rejected_answer(text: str) -> Judged:
    """Return the record of a submitted answer that is sent back to the model."""
    return Judged(
        accepted=False,
        answer=text,
        outcome="OUTCOME_OK",
        refs=("/a",),
        message="the gates said no",
        verdicts=(GATE_REJECTS, RULE_DOES_NOT_APPLY),
    )


# What is recorded of a trial, one attempt at a task, for journals that tests of reports write.
#
#     ReportedTrial("alpha", score=0.0, details=("should be 7",), rejected_answers=1)
#
# submits two answers, of which the first is sent back, and has the score 0.


@dataclass(frozen=True)
class ReportedTrial:
    """What is recorded of a trial, one attempt at a task.

    `ReportedTrial("alpha.1")` has one step, which submits an answer. It is accepted, and has the
    score 1.
    """

    task: str
    score: float | None = 1.0
    unscored: str = ""
    """Why it has no score, if it has none for good."""
    details: tuple[str, ...] = ()
    """The grader's reasons for the score, such as "answer should be '7'"."""
    steps: int = 0
    """The number of steps before the first answer is submitted."""
    rejected_answers: int = 0
    """The number of steps after these, each with an answer that is sent back. The answer of the last
    step is accepted."""
    text: str = "seen"
    """The result of each call to the environment, which the script of the step prints."""
    how: str = "answered"
    """How the trial ended: "answered", "fallback", ..."""
    reason: str = ""
    """Why it ended so."""


# Events of a step of a trial, a script of the model, for the journals of reported runs.
#
#     step_events("alpha.1-r0", 1, text="seen")
#
#     ModelReplied    the model's reply: it costs 0.01 dollars, and takes 200 ms
#     CallEvent       a call `read("/doc-1.md")` begins
#     CallEvent       the call has returned "seen"
#     StepDone        the step has ended, with the output "seen"
#
# The events were never played: the script in `StepDone`, which reports show, does not make the call.


def step_events(
    trial_id: str, number: int, *, text: str, answer: Judged | None = None
) -> list[JournalEvent]:
    """Return the events of a step. With `answer`, the judgement of an answer, it has submitted one."""
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
    if answer is not None:
        events.append(SubmissionJudged(**at, number=0, judged=answer))
    events.append(
        StepDone(
            **at,
            state=f"state {number}",
            plan=("first", "then"),
            # Letters that a report has to encode in different ways.
            code=f"for each in range({number}):\n    print('é𝄞', each)  # say\n",
            output=text,
            ending="finished",
            calls=(CallRecord(operation="read", arguments={}),),
            verdicts=() if answer is None else (answer,),
            scratchpad={"seen": number, "refs_why": {"/a": "it says so"}},
            elapsed_ms=50,
        )
    )
    return events


def ended_call(begun_call: CallEvent, **end: Any) -> CallEvent:
    """Return the second event of a call: `ended_call(begun_call, state="made", result={...})`."""
    return begun_call.model_copy(update={"was_announced": True, **end})


# The events of one trial, as a journal has them, without running anything.
#
#     trial_events("alpha-r0", ReportedTrial("alpha", score=0.0, rejected_answers=1))
#
# returns the start of the trial, two steps with an answer each, the answer that was sent, the end, and
# the score.


def trial_events(trial_id: str, trial: ReportedTrial) -> list[JournalEvent]:
    """Return the events of one trial: its start, its steps, the answer sent, its end and score.

    With `steps=2, rejected_answers=1`, there are four steps: two without an answer, one with a
    rejected answer, and one with an accepted answer.
    """
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
        events += step_events(trial_id, number, text=trial.text)

    last_step = trial.steps + trial.rejected_answers + 1
    for number in range(trial.steps + 1, last_step):
        answer = rejected_answer(f"try {number}")
        events += step_events(trial_id, number, text=trial.text, answer=answer)
    answer = accepted_answer(f"try {last_step}")
    events += step_events(trial_id, last_step, text=trial.text, answer=answer)

    events.append(
        AnswerSent(
            trial_id=trial_id,
            step=last_step,
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
    events.append(
        Scored(
            trial_id=trial_id,
            score=trial.score,
            details=trial.details,
            unscored=trial.unscored,
        )
    )
    return events


# The events of a run, as a journal has them, without running anything.
#
#     run_events("a", "first", [ReportedTrial("alpha.1", score=0.0)])
#
# returns the opening and the start of the run, and the events of its trial.

BEGAN_MS = 1_790_000_000_000
"""When each run begins: in September 2026, in milliseconds since 1970."""

MODEL_SETTING = ResolvedSetting(name="model", value="canned", source="flag")
"""The one setting of most runs: `--model canned`."""


def run_events(
    run: str,
    name: str,
    trials: Sequence[ReportedTrial],
    settings: Sequence[ResolvedSetting] = (MODEL_SETTING,),
    scale: RecordedScale | None = None,
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
        RunStarted(at_ms=BEGAN_MS, run_id="r", trials=tuple(allotted), scale=scale),
        *events_of_trials,
    ]


# Writes journals for tests of reports, without running anything.
#
# A journal is the record of a run: a file with an event a line. A test describes the run's trials,
# as in `journal_of_trials(path, [ReportedTrial("alpha.1", score=0.0)])`, and gets the journal of such
# a run.


def journal_of_trials(
    path: Path,
    trials: Sequence[ReportedTrial],
    *,
    name: str = "first",
    settings: Sequence[ResolvedSetting] = (MODEL_SETTING,),
    closed: bool = True,
    scale: RecordedScale | None = None,
) -> Path:
    """Write the journal of a run with these trials and settings, and return its path.

    Unless it is `closed`, the journal ends behind the last trial, as if the run were killed there.
    """
    events = run_events(path.stem, name, trials, settings, scale)
    if closed:
        events += [
            RunSubmitted(
                at_ms=BEGAN_MS + 60_000, forced=False, state="evaluated", score=None
            ),
            RunClosed(at_ms=BEGAN_MS + 61_000, how="finished", exit_code=0),
        ]
    return write_journal(path, events)


# Writes the beginning of a journal, as a run does that still plays.
#
#     with unfinished_journal(folder / "live.jsonl", "a", "b") as writer:
#         writer.write(TrialStarted(trial_id="a", ...))
#
# The run has the trials "a" and "b", of which a test writes the events.


@contextmanager
def unfinished_journal(path: Path, *trials: str) -> Iterator[JournalWriter]:
    """Write the beginning of a run of these trials, and yield the journal's writer.

    While the block lasts, the run counts as running, since its journal is locked.
    """
    opened = RUN_OPENED.model_copy(update={"run": path.stem, "name": path.stem})
    allotted = tuple(AllottedTrial(trial_id=trial, task_id=trial) for trial in trials)
    with JournalWriter(path, create=True) as writer:
        writer.write(opened)
        writer.write(RunStarted(run_id="r", trials=allotted))
        yield writer


def hostile_journal(path: Path) -> Path:
    """Write a journal with `HOSTILE_MARKUP` in all texts from outside, and return its path."""
    hostile_events = []
    for event in events_of_all_kinds(run_id=path.stem):
        fields = with_hostile_texts(event.model_dump())
        hostile_events.append(type(event).model_validate(fields))
    return write_journal(path, hostile_events)


def events_of_all_kinds(run_id: str) -> list[JournalEvent]:
    """Return the events of a run with one trial, in which everything happens that a journal can
    tell: a failed call, a rejected answer, a fallback, a notice, an error."""
    trial = ReportedTrial(
        task="task",
        score=0.5,
        details=("reason of the grader",),
        steps=1,
        rejected_answers=1,
        how="fallback",  # The answer was not the model's own.
        reason="reason of the end",
    )
    events: list[JournalEvent] = []
    for event in run_events(run_id, name="name of the run", trials=[trial]):
        if isinstance(event, ConversationOpened):
            # The product itself makes calls before the conversation with the model opens.
            events += failed_call(event.trial_id)
        events.append(event)
    events.append(RunNotice(text="notice"))
    events.append(RunClosed(how="failed", exit_code=1, error="error of the run"))
    return events


def failed_call(trial_id: str) -> list[JournalEvent]:
    """Return the two events of a call that fails: its announcement and its end."""
    begun_call = CallEvent(
        trial_id=trial_id,
        step=0,
        number=0,
        operation="read",
        arguments={},
        state="under_way",
    )
    error = CallFailure(code="code", message="message")
    return [begun_call, ended_call(begun_call, state="failed", error=error)]


def journal_with_left_files(folder: Path) -> Path:
    """Write a run whose trial has left files, beside its journal, and return the trial's folder."""
    journal_of_trials(folder / "a.jsonl", [ReportedTrial("alpha.1", score=0.0)])
    journal = open_journal(folder / "a.jsonl")
    (trial_id,) = journal.trials
    journal.close()
    left = folder / "a" / trial_id
    (left / "verifier").mkdir(parents=True)
    lines = [f"line {number}" for number in range(200)]
    (left / "verifier/test-stdout.txt").write_text("\n".join(lines))
    (left / "verifier/ctrf.json").write_text("<script>1</script>")
    (folder / "key").write_text("secret")
    (left / "link").symlink_to(folder / "key")
    (left / "folder").symlink_to(folder)
    return left
