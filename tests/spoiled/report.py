"""Draws the tables of figures. Of what is kept apart no wording is named."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from tests.spoiled.figures import RIGHT, Figures, Key
from tests.spoiled.spoil import APART

TITLES = {"open": "OPEN PART", "apart": "PART KEPT APART"}
GROUPS = {
    "any wrong value": ("wrong-detail", "wrong-number", "wrong-recorded-value", "wrong-yes-no"),
    "any wrong citations": ("dropped-reference", "extra-reference", "set-in-part", "unread-reference"),
    "any false claim of a deed": ("claimed-deed", "claimed-deed-after-failure", "ok-where-blocked"),
}
"""Kinds that are summed as well."""


def lines_of(figures: Figures, parts: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the report."""
    for part in parts:
        yield f"\n{TITLES[part]}"
        yield from _by_kind(figures, part)
        yield from _by_wording(figures, part)
        yield from _by_family(figures, part)
    yield f"\n{figures.trials} trials"
    total, stopped = _sums(figures, lambda key: key[1] == RIGHT)
    dropped = sum(count for (_, kind), count in figures.dropped.items() if kind == RIGHT)
    yield f"right answers and paraphrases: {stopped} of {total} stopped; {dropped} left out: the grader marks them down"
    for part in parts:
        for rule, count in figures.rules[part, RIGHT].most_common():
            yield f"    {part}: {count} by {rule}"


def _sums(figures: Figures, wanted: Callable[[Key], bool]) -> tuple[int, int]:
    return (
        sum(count for key, count in figures.total.items() if wanted(key)),
        sum(count for key, count in figures.stopped.items() if wanted(key)),
    )


def _share(stopped: int, total: int) -> str:
    return f"{100 * stopped / total:6.1f} %  {stopped:7} of {total:7}" if total else "     -                     "


def _by_kind(figures: Figures, part: str) -> Iterator[str]:
    kinds = sorted({key[1] for key in figures.total if key[0] == part} - {RIGHT})
    shares = []
    for kind in kinds:
        total, stopped = _sums(figures, lambda key, kind=kind: key[:2] == (part, kind))
        shares.append(stopped / total)
        families = len({key[3] for key in figures.total if key[:2] == (part, kind)})
        rules = ", ".join(f"{rule} {count}" for rule, count in figures.rules[part, kind].most_common(3))
        left_out = figures.dropped[part, kind]
        yield f"{_share(stopped, total)}  {kind:28} {families:2} families  {rules}" + (
            f"  [{left_out} left out: the grader passes them]" if left_out else ""
        )
    for name, group in GROUPS.items():
        total, stopped = _sums(figures, lambda key, group=group: key[0] == part and key[1] in group)
        yield f"{_share(stopped, total)}  {name}: {', '.join(group)}"
    total, stopped = _sums(figures, lambda key: key[0] == part and key[1] != RIGHT)
    yield f"{_share(stopped, total)}  over all; mean of the kinds {100 * sum(shares) / max(len(shares), 1):.1f} %"


def _by_wording(figures: Figures, part: str) -> Iterator[str]:
    yield "  by wording:"
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for key, count in figures.total.items():
        if key[0] == part and key[1] != RIGHT:
            counts[key[2]]["total"] += count
            counts[key[2]]["stopped"] += figures.stopped[key]
    if part == APART:
        shares = sorted(100 * each["stopped"] / each["total"] for each in counts.values())
        if shares:
            low, middle, high = shares[0], shares[len(shares) // 2], shares[-1]
            yield f"  {len(shares)} wordings: lowest {low:.1f} %, median {middle:.1f} %, highest {high:.1f} %"
        return
    for name, each in sorted(counts.items()):
        yield f"{_share(each['stopped'], each['total'])}  {name}"


def _by_family(figures: Figures, part: str) -> Iterator[str]:
    """Yield a row for each family: the share of each kind that is stopped, in percent."""
    kinds = sorted({key[1] for key in figures.total if key[0] == part} - {RIGHT})
    yield "  by kind and family, stopped/total:"
    for kind in kinds:
        cells = []
        for family in sorted({key[3] for key in figures.total if key[:2] == (part, kind)}):
            total, stopped = _sums(figures, lambda key, at=(part, kind, family): (*key[:2], key[3]) == at)
            cells.append(f"{family} {stopped}/{total}")
        yield f"  {kind}: {', '.join(cells)}"


def as_data(figures: Figures) -> dict[str, object]:
    """Return the figures as plain data, without a text of any submission."""
    rows: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for (part, kind, _, family), count in figures.total.items():
        rows[part, kind, family]["total"] += count
    for (part, kind, _, family), count in figures.stopped.items():
        rows[part, kind, family]["stopped"] += count
    return {
        "trials": figures.trials,
        "rows": [
            {"part": part, "kind": kind, "family": family, "total": each["total"], "stopped": each["stopped"]}
            for (part, kind, family), each in sorted(rows.items())
        ],
        "rules": {f"{part} {kind}": dict(counted) for (part, kind), counted in sorted(figures.rules.items())},
        "left_out": {f"{part} {kind}": count for (part, kind), count in sorted(figures.dropped.items())},
    }
