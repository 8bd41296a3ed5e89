"""The page of a loop: its family tree with the diff of each step, candidates by tasks, score against cost, refusals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from controlplane.improve.evaluation import (
    Evaluation,
    Instance,
    Played,
    Texts,
    diff_lines,
    id_of,
    mean_score,
    mean_tokens,
)
from controlplane.improve.loop_record import Kept, LoopRecord, Proposed
from controlplane.report.report_file import TEMPLATES, score_class


@dataclass(slots=True)
class _Node:
    """One candidate that was played on all check worlds."""

    id: str
    texts: Texts
    played: list[Played]
    parents: tuple[str, ...]
    is_best: bool
    diff: list[str] = field(default_factory=list)
    families: list[tuple[str, float]] = field(default_factory=list)
    """Families of tasks whose mean score differs from the parent's, with the difference, the largest first."""
    children: list[_Node] = field(default_factory=list)
    x: float = 0.0

    @property
    def score(self) -> float:
        return mean_score(self.played)

    @property
    def tokens(self) -> float:
        return mean_tokens(self.played)

    @property
    def cost_usd(self) -> float | None:
        costs = [one.cost_usd for one in self.played]
        return None if None in costs else fmean(cost for cost in costs if cost is not None)


def loop_page(record: LoopRecord, evaluation: Evaluation) -> str:
    """Return the page of a loop as HTML, without scripts. It plays nothing."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    nodes = _nodes(record, evaluation)
    by_id = {node.id: node for node in nodes}
    roots = []
    for node in nodes:
        parent = next((by_id[parent] for parent in node.parents if parent in by_id), None)
        if parent is None:
            roots.append(node)
            continue
        parent.children.append(node)
        node.diff = list(diff_lines(parent.texts, node.texts))
        node.families = _changed_families(parent.played, node.played)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["score_class"] = score_class
    rows = [
        {"task": task, "seed": seed, "scores": [node.played[place].score for node in nodes]}
        for place, (seed, task) in enumerate(record.plan.check)
    ]
    return environment.get_template("loop.html.j2").render(
        plan=record.plan,
        end=record.end,
        nodes=nodes,
        roots=roots,
        rows=rows,
        refused=[line for line in record.lines if isinstance(line, Proposed) and line.refused],
        style=(TEMPLATES / "report.css").read_text("utf-8"),
        **_axis(nodes),
    )


def _nodes(record: LoopRecord, evaluation: Evaluation) -> list[_Node]:
    texts = {id_of(record.plan.texts): record.plan.texts}
    parents: dict[str, tuple[str, ...]] = {}
    for line in record.lines:
        if isinstance(line, Proposed) and not line.refused:
            texts[id_of(line.texts)] = line.texts
            parents.setdefault(id_of(line.texts), (line.parent,))
    check = [Instance(seed, task) for seed, task in record.plan.check]
    best = record.end.best if record.end is not None else ""
    nodes = []
    for kept in (line for line in record.lines if isinstance(line, Kept) and line.candidate in texts):
        played = evaluation.finished(texts[kept.candidate], check)
        if played is not None:
            above = kept.parents or parents.get(kept.candidate, ())
            nodes.append(_Node(kept.candidate, texts[kept.candidate], played, above, is_best=kept.candidate == best))
    return nodes


def _changed_families(before: Sequence[Played], after: Sequence[Played]) -> list[tuple[str, float]]:
    changes: dict[str, list[float]] = defaultdict(list)
    for one, two in zip(before, after, strict=True):
        changes[one.instance.task.rpartition(".")[0] or one.instance.task].append(two.score - one.score)
    means = [(family, fmean(values)) for family, values in changes.items()]
    return sorted((row for row in means if row[1]), key=lambda row: -abs(row[1]))


def _axis(nodes: Sequence[_Node]) -> dict[str, Any]:
    """Place each node on the horizontal axis, and return the axis' ends as text."""
    has_costs = all(node.cost_usd for node in nodes)
    values = [(node.cost_usd or 0.0) if has_costs else node.tokens for node in nodes]
    least, most = min(values, default=0.0), max(values, default=0.0)
    for node, value in zip(nodes, values, strict=True):
        node.x = round(60 + 540 * ((value - least) / (most - least) if most > least else 0.5), 1)
    ends = [f"${end:.4f}" if has_costs else f"{end:,.0f}" for end in (least, most)]
    return {"has_costs": has_costs, "axis": ends}
