"""The steps of trials, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from controlplane.comparison.compared_trials import numbered
from controlplane.journal.journal_content import Journal


def step_objects(journal: Journal) -> Iterator[dict[str, object]]:
    """Yield every whole step of a journal, trial by trial, as plain JSON types."""
    for each in numbered(journal.summary, journal.run):
        for step in journal.trials[each.summary.trial_id].steps:
            yield {
                "run": journal.run,
                "model": journal.opened.model,
                "trial_id": step.trial_id,
                "task_id": each.summary.task_id,
                "try_number": each.number,
                "step": step.step,
                "at_ms": step.at_ms,
                "state": step.state,
                "plan": list(step.plan),
                "done": step.done,
                "code": step.code,
                "output": step.output,
                "error": step.error,
                "ending": step.ending,
                "calls": [call.model_dump(mode="python") for call in step.calls],
                "citations": [citation.model_dump(mode="python") for citation in step.citations],
                "rejected_by": [verdict.key for judged in step.verdicts for verdict in judged.rejections],
                "accepted": any(judged.accepted for judged in step.verdicts),
                "scratchpad": step.scratchpad,
                "prompt_tokens": step.usage.prompt_tokens,
                "completion_tokens": step.usage.completion_tokens,
                "cost_usd": step.cost_usd,
                "elapsed_ms": step.elapsed_ms,
            }


def write_steps(path: Path, journals: Iterator[Journal]) -> int:
    """Write the steps of `journals` and return how many there are."""
    count = 0
    with path.open("w", encoding="ascii") as file:
        for journal in journals:
            for each in step_objects(journal):
                file.write(json.dumps(each) + "\n")
                count += 1
    return count
