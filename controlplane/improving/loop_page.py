"""The page of a loop: its family tree, its candidates by tasks, score against cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from controlplane.improving.loop_record import LoopRecord, Texts, id_of, mean_score, mean_tokens
from controlplane.report.run_pages import style_of_page, template
from controlplane.report.run_report import Report
from controlplane.text_files import FileChange
from controlplane.view.file_diff import file_diff


@dataclass(frozen=True, slots=True)
class CandidateNode:
    """A candidate that has played the check worlds, as the page shows it."""

    id: str
    scores: list[float]
    """On each check world, in their order."""
    score: float
    tokens: float
    """Of a trial, on average."""
    cost_usd: float
    """Of a trial, on average."""
    parent: str
    """The id of the candidate that it changed; empty for the original."""
    diff: list[str]
    """The lines that changed against its parent."""


def loop_page(path: Path) -> Report:
    """Return the page of the loop with this record. It plays nothing. Raises `UsageError` as
    `LoopRecord` does."""
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
        node = CandidateNode(
            id=name,
            scores=[trial.own_score or 0.0 for trial in trials],
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
    return Report(iter([html]), len(nodes), trial_count)


def _diff_lines(before: Texts, after: Texts) -> list[str]:
    """Return the changed lines of a candidate's files, file by file."""
    lines: list[str] = []
    for name, text in after.items():
        if text != before[name]:
            change = FileChange(Path(name), Path(), before[name].encode(), 0, text)
            lines += file_diff(name, change).text.splitlines()
    return lines
