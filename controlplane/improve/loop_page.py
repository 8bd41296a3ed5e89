"""The page of a loop: its family tree with the diff of each step, candidates by tasks, score against cost, refusals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from controlplane.improve.evaluation import Evaluation, Played, diff_lines, mean
from controlplane.improve.loop_record import Kept, LoopRecord, Proposed
from controlplane.report.report_file import TEMPLATES, Report, template


@dataclass(slots=True)
class _Node:
    """One candidate that was played on all check worlds."""

    id: str
    played: list[Played]
    parent: str = ""
    diff: list[str] = field(default_factory=list)
    families: list[tuple[str, float]] = field(default_factory=list)
    """Families of tasks whose mean score differs from the parent's, with the difference, the largest first."""

    @property
    def score(self) -> float:
        return mean(one.score for one in self.played)

    @property
    def tokens(self) -> float:
        return mean(one.spending("tokens") for one in self.played)

    @property
    def cost_usd(self) -> float:
        """Mean cost of a trial; 0 if it is unknown."""
        has_costs = all(one.trial.cost_usd is not None for one in self.played)
        return mean(one.spending("cost") for one in self.played) if has_costs else 0.0


def loop_page(record: LoopRecord, evaluation: Evaluation) -> Report:
    """Return the page of a loop, without scripts, with its candidates as runs. It plays nothing."""
    nodes: dict[str, _Node] = {}
    for kept in record.all(Kept):
        if (played := evaluation.finished(kept.candidate)) is None:
            continue
        node = nodes[kept.candidate] = _Node(kept.candidate, played)
        if parent := next((nodes[parent] for parent in kept.parents if parent in nodes), None):
            node.parent = parent.id
            node.diff = list(diff_lines(evaluation.texts_of(parent.id), evaluation.texts_of(node.id)))
            node.families = _changed_families(parent.played, played)
    html = template("loop.html.j2").render(
        plan=record.plan,
        end=record.end,
        nodes=list(nodes.values()),
        refused=[line for line in record.all(Proposed) if line.refused],
        style=(TEMPLATES / "report.css").read_text("utf-8"),
    )
    return Report(html, len(nodes), sum(len(node.played) for node in nodes.values()))


def _changed_families(before: Sequence[Played], after: Sequence[Played]) -> list[tuple[str, float]]:
    changes: dict[str, list[float]] = defaultdict(list)
    for one, two in zip(before, after, strict=True):
        changes[one.trial.task_id.rpartition(".")[0] or one.trial.task_id].append(two.score - one.score)
    means = [(family, mean(values)) for family, values in changes.items()]
    return sorted((row for row in means if row[1]), key=lambda row: -abs(row[1]))
