"""One recorded trial on paper: every step with its plan, code, calls, output, scratchpad and verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from agent.events import CallRecord, Judged, StepDone
from controlplane.errors import UsageError
from controlplane.replay import JournalContent
from controlplane.view.report import trial_table
from controlplane.view.results import result_object

RESULT_MARKS = {"pass": ("✓", "green"), "reject": ("✗", "red"), "not_applicable": ("·", "dim"), "skipped": ("-", "dim")}


def print_trials(content: JournalContent, *, as_json: bool) -> None:
    """Print the list of a journal's trials."""
    if as_json:
        print(json.dumps(result_object(content.summary, content.path)))
        return
    console = Console(highlight=False)
    console.print(trial_table(content.summary.worst_first, content.summary))
    console.print(f"one of them: controlplane replay {content.path.stem} --trial TASK", soft_wrap=True)


def steps_of(content: JournalContent, trial_id: str) -> tuple[StepDone, ...]:
    """Return a trial's recorded steps."""
    record = content.records.get(trial_id)
    return tuple(record.steps) if record else ()


def find_step(content: JournalContent, trial_id: str, number: int) -> StepDone:
    """Return one step. Raises `UsageError` where the trial has none of that number."""
    steps = steps_of(content, trial_id)
    found = next((each for each in steps if each.step == number), None)
    if found is None:
        numbers = f"it has steps 1 to {steps[-1].step}" if steps else "it has no steps"
        msg = f"the trial {trial_id} has no step {number}; {numbers}"
        raise UsageError(msg)
    return found


def step_object(content: JournalContent, trial_id: str, number: int) -> object:
    """Return one step as JSON's own types."""
    return find_step(content, trial_id, number).model_dump(mode="python")


def trial_object(content: JournalContent, trial_id: str) -> object:
    """Return a whole trial as JSON's own types."""
    record = content.records[trial_id]
    summary = content.summary.trials[trial_id]
    return {
        "trial_id": trial_id,
        "task_id": summary.task_id,
        "instruction": record.started.instruction if record.started else "",
        "state": summary.state,
        "score": summary.score,
        "details": summary.details,
        "outcome": summary.outcome,
        "answer": summary.answer,
        "refs": summary.refs,
        "steps": [each.model_dump(mode="python") for each in record.steps],
    }


def print_trial(content: JournalContent, trial_id: str) -> None:
    """Print a whole trial."""
    console = Console(highlight=False)
    console.print(trial_head(content, trial_id))
    before: dict[str, object] = {}
    for step in steps_of(content, trial_id):
        console.print(step_page(step, before))
        before = dict(step.scratchpad)
    console.print(trial_tail(content, trial_id))


def print_step(content: JournalContent, trial_id: str, number: int) -> None:
    """Print one step of a trial."""
    steps = steps_of(content, trial_id)
    found = find_step(content, trial_id, number)
    earlier = [each for each in steps if each.step < number]
    Console(highlight=False).print(step_page(found, dict(earlier[-1].scratchpad) if earlier else {}))


def trial_head(content: JournalContent, trial_id: str) -> RenderableType:
    """Return what stands above a trial's steps."""
    record = content.records.get(trial_id)
    summary = content.summary.trials[trial_id]
    instruction = record.started.instruction if record and record.started else "(never started)"
    return Group(
        Rule(f"{summary.task_id or trial_id}", align="left"), Text(instruction), Text(f"trial {trial_id}", style="dim")
    )


def trial_tail(content: JournalContent, trial_id: str) -> RenderableType:
    """Return what stands below them: the answer, the score, the grader's words."""
    summary = content.summary.trials[trial_id]
    score = "not scored" if summary.score is None else f"score {summary.score:.2f}"
    lines = [f"{summary.state}: {summary.outcome} · {score}"]
    if summary.answer:
        lines.append(f"answer: {summary.answer}")
    lines += [f"cites {each}" for each in summary.refs]
    lines += [f"grader: {each}" for each in summary.details]
    if summary.reason:
        lines.append(f"reason: {summary.reason}")
    return Group(Rule("end", align="left"), Text("\n".join(lines)))


def step_page(step: StepDone, before: dict[str, object]) -> RenderableType:
    """Return one step: state, plan, code, calls, output, scratchpad changes, verdicts, tokens, time."""
    parts: list[RenderableType] = [Rule(f"step {step.step}", align="left")]
    if step.state:
        parts.append(Text(step.state, style="bold"))
    parts += [Text(f"  {number}. {each}", style="dim") for number, each in enumerate(step.plan, start=1)]
    if step.code:
        parts.append(Padding(Syntax(step.code, "python", background_color="default", word_wrap=True), (0, 2)))
    else:
        parts.append(Text(step.reply, style="dim"))
    parts += [_call_line(each) for each in step.calls]
    if step.output:
        parts.append(Padding(Text(step.output.rstrip("\n")), (0, 2)))
    if step.error:
        parts.append(Text(step.error, style="red"))
    parts += [Text(line) for line in scratchpad_changes(before, dict(step.scratchpad))]
    for judged in step.verdicts:
        parts.append(verdict_line(judged))
        if judged.message:
            parts.append(Padding(Text(judged.message, style="red"), (0, 2)))
    used = step.usage
    refund = " · refunded" if step.refunded else ""
    counts = f"{used.prompt_tokens} + {used.completion_tokens} tokens · {step.elapsed_ms:.1f} ms{refund}"
    parts.append(Text(counts, style="dim"))
    return Group(*parts)


def verdict_line(judged: Judged) -> Text:
    """Return the gates' marks in one line."""
    line = Text("gates ")
    for each in judged.verdicts:
        mark, style = RESULT_MARKS.get(each.result, ("?", ""))
        line.append(f" {each.gate or each.name}{mark}", style=style if each.enforced else "dim")
    line.append("  accepted" if judged.accepted else "  rejected", style="green" if judged.accepted else "red")
    return line


def _call_line(call: CallRecord) -> Text:
    words = ", ".join(f"{name}={escape(json.dumps(value))}" for name, value in call.arguments.items())
    line = Text(f"  → {call.operation}({words})", style="cyan", no_wrap=True, overflow="ellipsis")
    came = f"{call.error.code}: {call.error.message}" if call.error else json.dumps(call.result)
    line.append(f"\n    {came}", style="red" if call.error else "dim")
    return line


def scratchpad_changes(before: dict[str, object], after: dict[str, object]) -> Iterator[str]:
    """Yield a line for each key that a step added, changed or removed."""
    for key in sorted({*before, *after}):
        if key not in after:
            yield f"  - {key}"
        elif key not in before:
            yield f"  + {key} = {json.dumps(after[key])}"
        elif before[key] != after[key]:
            yield f"  ~ {key} = {json.dumps(after[key])}"
