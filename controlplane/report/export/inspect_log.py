"""Writes a run as a log of Inspect (the library `inspect_ai`), to be opened in its viewer.

A trial becomes a *sample*, a grader's score a *score*, and each request to a model and each call
an *event*.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias

from controlplane.agent.events import CallEvent
from controlplane.facts.run_facts import RunFacts, run_facts
from controlplane.facts.step_facts import step_facts
from controlplane.facts.trial_facts import TrialFacts, TrialRow, row_of, trial_facts
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.report.model_requests import (
    RequestMessage,
    model_requests,
    written_replies,
)

# The calls of a trial that have an outcome, with their times.


def finished_calls(recorded: RecordedTrial) -> Iterator[CallEvent]:
    """Yield the calls of a trial in the order in which they ended, which was at `at_ms`.

    For a call that may change something, the journal also has an event from before it was
    made, the announcement. Announcements are left out.
    """
    for event in recorded.events():
        if isinstance(event, CallEvent) and not event.is_under_way:
            yield event


# Times, token counts and messages in the form of Inspect's logs.

_Fields: TypeAlias = dict[str, object]
"""The fields of an object of Inspect, which its library checks."""


def _iso_time(at_ms: float) -> str:
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).isoformat()


def _token_usage(prompt_tokens: int, tokens: int) -> _Fields:
    """Return Inspect's token counts. `tokens` includes those of the prompt."""
    return {
        "input_tokens": prompt_tokens,
        "output_tokens": tokens - prompt_tokens,
        "total_tokens": tokens,
    }


def _chat_messages(messages: Iterable[RequestMessage]) -> list[_Fields]:
    return [{"role": message.role, "content": message.text} for message in messages]


# The events of a trial as Inspect knows them: requests to models, calls of tools, scores.


def _inspect_events(trial: RecordedTrial, scores: dict[str, _Fields]) -> list[_Fields]:
    """Return the events of a trial in the order of time: model calls, tool calls, steps, scores."""
    model = trial.journal.opened.model or "none"
    began_ms = trial.summary.started_ms
    events: list[_Fields] = []

    def add(start_ms: float, end_ms: float, event: _Fields) -> None:
        events.append(event | _times(start_ms, end_ms, began_ms))

    for reply, role, messages, left_out in written_replies(trial):
        message = {"role": "assistant", "content": reply.reply}
        event: _Fields = {
            "event": "model",
            "model": model,
            "role": role,
            "input": _chat_messages(messages),
            "tools": [],
            "tool_choice": "none",
            "config": {},
            "output": {
                "model": model,
                "choices": [{"message": message}],
                "usage": _token_usage(reply.usage.prompt_tokens, reply.tokens),
            },
            "metadata": {"step": reply.step, "messages_left_out": left_out},
        }
        add(reply.at_ms - reply.elapsed_ms, reply.at_ms, event)

    for call in finished_calls(trial):
        event = {
            "event": "tool",
            "id": f"step {call.step}, call {call.number}",
            "function": call.operation,
            "arguments": dict(call.arguments),
            "result": json.dumps(call.result, ensure_ascii=False),
            "metadata": {"step": call.step},
        }
        if call.error is not None:
            error = f"{call.error.code}: {call.error.message}"
            event["error"] = {"type": "unknown", "message": error}
        add(call.at_ms - call.elapsed_ms, call.at_ms, event)

    for step in trial.record.whole_steps:
        source = f"step {step.number}"
        figures = step_facts(step).figures
        ended_ms = step.summary.at_ms
        add(ended_ms, ended_ms, {"event": "info", "source": source, "data": figures})

    events.sort(key=lambda event: str(event["timestamp"]))
    graded_ms = began_ms + trial.summary.elapsed_ms
    for name, score in scores.items():
        add(graded_ms, graded_ms, {"event": "score", "score": score, "scorer": name})
    return events


def _times(start_ms: float, end_ms: float, began_ms: float) -> _Fields:
    """Return when an event started, and its start and duration within the trial."""
    times: _Fields = {
        "timestamp": _iso_time(start_ms),
        "working_start": max(start_ms - began_ms, 0) / 1000,
    }
    if end_ms > start_ms:
        times["completed"] = _iso_time(end_ms)
        times["working_time"] = (end_ms - start_ms) / 1000
    return times


_GRADER: Final = "grader"
"""The name of the score; a grader's further figures have their own names."""


def write_inspect_log(target: Path, path: Path) -> int:
    """Write the run of a journal; return the number of samples.

    Raises `ModuleNotFoundError` without Inspect.
    """
    from inspect_ai.log import EvalLog, write_eval_log

    with open_journal(path) as journal:
        trials = journal.trials.values()
        samples = [_sample(trial) for trial in trials if trial.has_begun]
        log = EvalLog.model_validate(_log(journal, samples))
    write_eval_log(log, str(target), format="eval")
    return len(samples)


def _log(journal: Journal, samples: Sequence[_Fields]) -> _Fields:
    """Return the fields of `EvalLog`, which is Inspect's log of a run.

    Inspect has three ids where a journal has one: those of an evaluation, of a run with
    several evaluations, and of a task in it.
    """
    summary = journal.summary
    opened = journal.opened
    facts = run_facts(summary, journal.path)
    started_at = _iso_time(opened.at_ms)
    # Each try in the same world is an epoch. `repeat` counts them from 0.
    tries = [trial.repeat + 1 for trial in summary.trials.values()]
    return {
        "status": "success" if summary.process.closed == "finished" else "cancelled",
        "eval": {
            "created": started_at,
            "eval_id": journal.run,
            "run_id": journal.run,
            "task_id": journal.run,
            "task": opened.benchmark,
            "dataset": {"name": opened.benchmark, "samples": len(samples)},
            "model": opened.model or "none",
            "config": {"epochs": max(tries, default=1)},
            "metadata": {"run": journal.run, "name": opened.name},
        },
        "results": {
            "total_samples": facts.trials_total,
            "completed_samples": facts.trials_over,
            "scores": _mean_scores(facts),
        },
        "stats": {
            "started_at": started_at,
            "completed_at": _iso_time(facts.last_event_ms),
        },
        "samples": samples,
    }


def _mean_scores(run: RunFacts) -> list[_Fields]:
    """Return the means of the score and of the grader's further figures, as Inspect has them.

    `[{"name": "grader", "scorer": "grader", "metrics": {"mean": {"name": "mean", "value": 0.8}}}]`
    """
    means: dict[str, float | None] = {_GRADER: run.mean_score, **run.metrics}
    scores: list[_Fields] = []
    for name, mean in means.items():
        known = {"mean": {"name": "mean", "value": mean}}
        metrics = {} if mean is None else known
        scores.append({"name": name, "scorer": name, "metrics": metrics})
    # Inspect has places of its own for how many samples a mean is over. Why the others have no
    # score stands in the metadata.
    scores[0]["scored_samples"] = run.trials_scored
    scores[0]["unscored_samples"] = run.trials_unscored
    scores[0]["metadata"] = {"scale": run.scale, "unscored": run.unscored}
    return scores


def _sample(trial: RecordedTrial) -> _Fields:
    """Return a trial: its last conversation, its answer, its score, and its events.

    Inspect calls a task in a world a sample, and each try in that world an epoch.
    """
    facts = trial_facts(trial.summary)
    spent = trial.summary.spent
    model = trial.journal.opened.model or "none"
    sample_id = facts.task
    if facts.world:
        sample_id += f" (world {facts.world + 1})"
    scores = _scores(facts)
    answer = {"message": {"role": "assistant", "content": facts.answer}}
    return {
        "id": sample_id,
        "epoch": facts.repeat + 1,
        "input": facts.instruction,
        "target": "",
        "messages": _last_conversation(trial),
        "output": {"model": model, "choices": [answer]},
        "scores": scores or None,
        "metadata": row_of(facts, TrialRow),
        "events": _inspect_events(trial, scores),
        # The tokens of all roles, although some roles may have another model.
        "model_usage": {model: _token_usage(spent.prompt_tokens, spent.tokens)},
        "total_time": facts.elapsed_ms / 1000,
    }


def _scores(facts: TrialFacts) -> dict[str, _Fields]:
    """Return the score with the grader's words and further figures; nothing without a score."""
    if facts.own_score is None:
        return {}
    grade: _Fields = {
        "value": facts.own_score,
        "answer": facts.answer,
        "explanation": "\n".join(facts.details) or None,
    }
    figures: dict[str, _Fields] = {}
    for name, value in facts.metrics.items():
        figures[name] = {"value": value}
    return {_GRADER: grade, **figures}


def _last_conversation(trial: RecordedTrial) -> list[_Fields]:
    """Return the messages of the last request to the model that solves the task, and its reply."""
    messages: list[_Fields] = []
    for request in model_requests(trial):
        if request.role == "solve":
            replies = [
                RequestMessage("assistant", reply.reply) for reply in request.replies
            ]
            messages = _chat_messages([*request.messages, *replies[-1:]])
    return messages
