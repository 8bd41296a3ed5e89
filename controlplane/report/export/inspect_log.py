"""Writes a run as a log of Inspect (the library `inspect_ai`), to be opened in its viewer.

A trial becomes a *sample*, a grader's score a *score*, and each request to a model and each call
an *event*.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.report.export.inspect_events import inspect_events
from controlplane.report.export.inspect_fields import (
    Fields,
    chat_messages,
    iso_time,
    token_usage,
)
from controlplane.report.model_requests import (
    ModelRequest,
    model_requests,
)

GRADER: Final = "grader"
"""The name of the score; a grader's further figures have their own names."""


def write_inspect_log(target: Path, path: Path) -> int:
    """Write the run of a journal; return the number of samples.

    Raises `ModuleNotFoundError` without Inspect.
    """
    from inspect_ai.log import EvalLog, write_eval_log

    with open_journal(path) as journal:
        samples = []
        for trial in journal.trials.values():
            if trial.has_begun:
                samples.append(_sample(trial))
        log = EvalLog.model_validate(_log(journal, samples))
    write_eval_log(log, str(target), format="eval")
    return len(samples)


def _log(journal: Journal, samples: Sequence[Fields]) -> Fields:
    """Return the fields of `EvalLog`, which is Inspect's log of a run.

    Inspect has three ids where a journal has one: those of an evaluation, of a run with
    several evaluations, and of a task in it.
    """
    summary = journal.summary
    opened = journal.opened
    started_at = iso_time(opened.at_ms)
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
            "total_samples": len(summary.trials),
            "completed_samples": summary.trials.over,
            "scores": _mean_scores(journal),
        },
        "stats": {
            "started_at": started_at,
            "completed_at": iso_time(summary.process.last_ms),
        },
        "samples": samples,
    }


def _mean_scores(journal: Journal) -> list[Fields]:
    """Return the means of the score and of the grader's further figures, as Inspect has them.

    `[{"name": "grader", "scorer": "grader", "metrics": {"mean": {"name": "mean", "value": 0.8}}}]`
    """
    means: dict[str, float | None] = {GRADER: journal.summary.trials.mean_score}
    means |= journal.summary.trials.metrics
    scores: list[Fields] = []
    for name, mean in means.items():
        metrics = {}
        if mean is not None:
            metrics["mean"] = {"name": "mean", "value": mean}
        scores.append({"name": name, "scorer": name, "metrics": metrics})
    # Inspect has places of its own for how many samples a mean is over. Why the others have no
    # score stands in the metadata.
    trials = journal.summary.trials
    scores[0]["scored_samples"] = len(trials.scores)
    scores[0]["unscored_samples"] = sum(trials.unscored.values())
    scores[0]["metadata"] = {
        "scale": list(journal.summary.scale.recorded),
        "unscored": trials.unscored,
    }
    return scores


def _sample(trial: RecordedTrial) -> Fields:
    """Return a trial: its last conversation, its answer, its score, and its events.

    Inspect calls a task in a world a sample, and each try in that world an epoch.
    """
    summary = trial.summary
    model = trial.journal.opened.model or "none"
    sample_id = summary.task
    world = summary.number
    if world:
        sample_id += f" (world {world + 1})"
    scores = _scores(summary)
    answer = {"message": {"role": "assistant", "content": summary.answer}}
    return {
        "id": sample_id,
        "epoch": summary.repeat + 1,
        "input": summary.instruction,
        "target": "",
        "messages": _last_conversation(trial),
        "output": {"model": model, "choices": [answer]},
        "scores": scores or None,
        "metadata": {
            "trial_id": summary.trial_id,
            "state": summary.state,
            "outcome": summary.outcome,
            "unscored": summary.why_unscored,
            "refs": list(summary.refs),
            "rejections": dict(sorted(summary.rejections.items())),
        },
        "events": inspect_events(trial, scores),
        # The tokens of all roles, although some roles may have another model.
        "model_usage": {
            model: token_usage(summary.spent.prompt_tokens, summary.spent.tokens)
        },
        "total_time": summary.elapsed_ms / 1000,
    }


def _scores(summary: TrialSummary) -> dict[str, Fields]:
    """Return the score with the grader's words and further figures; nothing without a score."""
    if summary.own_score is None:
        return {}
    scores: dict[str, Fields] = {
        GRADER: {
            "value": summary.own_score,
            "answer": summary.answer,
            "explanation": "\n".join(summary.details) or None,
        }
    }
    for name, value in summary.metrics.items():
        scores[name] = {"value": value}
    return scores


def _last_conversation(trial: RecordedTrial) -> list[Fields]:
    """Return the messages of the last request to the model that solves the task, and its reply."""
    last: ModelRequest | None = None
    for request in model_requests(trial):
        if request.role == "solve":
            last = request
    if last is None:
        return []
    messages = chat_messages(last.messages)
    if last.replies:
        messages.append({"role": "assistant", "content": last.replies[-1].reply})
    return messages
