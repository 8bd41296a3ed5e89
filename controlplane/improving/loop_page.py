"""The page of an improvement loop: which candidate changed which, their scores and costs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from controlplane.file_changes import FileChange
from controlplane.improving.loop_record import (
    LoopRecord,
    Texts,
    id_of,
    mean_score,
    mean_tokens,
    without_score_text,
)
from controlplane.report.page_templates import style_of_page, template
from controlplane.report.run_report import Report
from controlplane.view.answer.file_diff import file_diff


@dataclass(frozen=True, slots=True)
class _CandidateNode:
    """A candidate that has played the check worlds, as the page shows it."""

    id: str
    scores: list[float | None]
    """Its score on each check world, in the order of the worlds; None counts as 0."""
    unscored: str
    """How many of them are None; empty if all are numbers."""
    score: float
    """Its mean score."""
    tokens: float
    """The mean number of tokens of its trials."""
    cost_usd: float
    """The mean cost of its trials."""
    parent: str
    """The id of the candidate whose texts were changed to get it; empty for the original."""
    diff: list[str]
    """The lines in which its texts differ from those of its parent."""


def loop_page(path: Path) -> Report:
    """Return the page of the loop whose record is at `path`. Nothing is played.

    Raises `UsageError` as `LoopRecord` does.
    """
    record = LoopRecord(path.parent)
    parents = {}
    for proposal in record.proposals:
        parents[id_of(proposal.texts)] = proposal.parent

    nodes = []
    trial_count = 0
    for name, trials in record.checked().items():
        parent = parents.get(name, "")
        diff = []
        if parent:
            diff = _diff_lines(record.candidates[parent], record.candidates[name])
        node = _CandidateNode(
            id=name,
            scores=[trial.own_score for trial in trials],
            unscored=without_score_text(trials),
            score=mean_score(trials),
            tokens=mean_tokens(trials),
            cost_usd=fmean(trial.spent.cost_usd or 0.0 for trial in trials),
            parent=parent,
            diff=diff,
        )
        nodes.append(node)
        trial_count += len(trials)

    html = template("loop.html.j2").render(
        plan=record.plan,
        end=record.end,
        nodes=nodes,
        refused=[proposal for proposal in record.proposals if proposal.refused],
        style=style_of_page(),
    )
    # A report counts runs and trials. Each candidate has played one run on the check worlds.
    return Report(iter([html]), len(nodes), trial_count)


def _diff_lines(before: Texts, after: Texts) -> list[str]:
    """Return the changed lines of a candidate's files, file by file."""
    lines: list[str] = []
    for name, text in after.items():
        if text != before[name]:
            change = FileChange(Path(name), Path(), before[name].encode(), 0, text)
            lines += file_diff(name, change).text.splitlines()
    return lines
