"""Formats one journal event as one line, for logs and for `tail`."""

from __future__ import annotations

from datetime import datetime

from rich.text import Text

from agent.events import AnswerSent, Noticed, StepDone
from controlplane.journal import run_events
from controlplane.journal.run_summary import RunSummary
from controlplane.view.display_text import (
    count_text,
    gates_and_rules_text,
    one_line,
    score_style,
    score_text,
    span_text,
)


def event_line(event: run_events.JournalEvent, summary: RunSummary) -> Text | None:
    """Return one line about `event`, or None for an event that `tail` leaves out. `summary` names the trial."""
    described = _description(event)
    if described is None:
        return None
    text, style = described
    trial = summary.trials.get(getattr(event, "trial_id", ""))
    clock = datetime.fromtimestamp(event.at_ms / 1000).strftime("%H:%M:%S")
    line = Text(f"{clock} ", style="dim")
    if trial is not None:
        line.append(f"{one_line(trial.task_id or trial.trial_id)}  ", style="not dim cyan")
    return line.append(one_line(text), style=f"not dim {style}")


def _description(event: run_events.JournalEvent) -> tuple[str, str] | None:
    """Return the text and the style of an event's line."""
    match event:
        case run_events.RunOpened():
            return f"run {event.run}: {event.played}, model {event.model or 'none'}", "bold"
        case run_events.RunStarted():
            return f"started with {count_text(len(event.trials), 'trial')}", ""
        case run_events.RunResumed():
            return "resumed", "bold"
        case run_events.RunSubmitted() | run_events.RunPolled():
            score = "" if event.score is None else f", score {event.score:.3f}"
            what = "submitted" if isinstance(event, run_events.RunSubmitted) else "asked for scores"
            return f"{what}, {event.state}{score}", ""
        case run_events.RunNotice() | Noticed():
            return event.text, "yellow"
        case run_events.RunClosed():
            return f"closed: {event.how}, exit code {event.exit_code}", "bold"
        case run_events.TrialStarted():
            return f"started: {event.instruction[:100]}", "dim"
        case StepDone():
            return _step_description(event)
        case AnswerSent():
            return f"{'falls back to' if event.fallback else 'answers'} {event.outcome}: {event.message[:80]}", ""
        case run_events.TrialEnded():
            reason = f": {event.reason}" if event.reason else ""
            return f"ended, {event.how} after {span_text(event.elapsed_ms)}{reason}", "red" if event.reason else ""
        case run_events.TrialFailed():
            return f"could not {event.phase}: {event.error}", "red"
        case run_events.TrialLeftOpen():
            return f"left open: {event.reason}", "yellow"
        case run_events.Scored():
            details = f": {'; '.join(event.details)}" if event.details else ""
            return f"score {score_text(event.score)}{details}", score_style(event.score)
        case _:
            return None


def _step_description(event: StepDone) -> tuple[str, str]:
    gates = {each.key for judged in event.verdicts for each in judged.rejections}
    parts = [f"step {event.step}", count_text(len(event.calls), "call")]
    parts += [f"sent back by {gates_and_rules_text(dict.fromkeys(gates, ''))}"] if gates else []
    protests = {each.key: "" for judged in event.verdicts if judged.accepted for each in judged.protests}
    parts += [f"accepted under protest of {gates_and_rules_text(protests)}"] if protests else []
    parts += [event.error.strip().splitlines()[-1][:80]] if event.error.strip() and not gates else []
    return f"{', '.join(parts)}{' · ' if event.state else ''}{event.state}", "yellow" if gates or event.error else ""
