"""Prints what each gate and rule stops in spoiled and in recorded answers, and what all of them let pass, as Markdown.

Usage: python tests/bench/rule_table.py RECORDED [--seeds 50] [--jobs 2] [--every 1] [--names mixed]
       (RECORDED: answers with scores)

Docs/gates.md shows it. Of a spoiled answer the first gate or rule that stops it counts; of a recorded one every one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.ecom.tasks.posing import family_names
from benchmarks.ecom.world.generator import DEFAULTS
from benchmarks.ecom.world.profiles import WorldSettings
from gates.recorded_answers import Measured, measure, read_scored
from gates.rules import load_pack
from tests.spoiled.__main__ import measured
from tests.spoiled.figures import RIGHT, Figures, Judging
from tests.spoiled.kinds import KINDS
from tests.spoiled.spoil import APART, OPEN

PARTS = (OPEN, APART)


def rows_of_rules(figures: Figures, judged: Sequence[Measured]) -> Iterator[str]:
    """Yield rows with every gate and rule that stopped a wrong answer, and how many right ones were stopped."""
    stopped: dict[str, Counter[str]] = {}
    right = 0
    for (part, kind), rules in figures.rules.items():
        for name, count in rules.items():
            short = name.partition(" ")[2].partition(" ")[2] if name.startswith("gate ") else name.removeprefix("ecom/")
            stopped.setdefault(short, Counter())[part] += count if kind != RIGHT else 0
            right += count if kind == RIGHT else 0
    for each in judged:
        for name in each.rejected_by:
            stopped.setdefault(name.removeprefix("ecom/"), Counter())["recorded"] += not each.is_right
    cells = [
        f"{name} | {found[OPEN]} | {found[APART]} | {found['recorded']}"
        for name, found in sorted(stopped.items(), key=lambda each: (-each[1].total(), each[0]))
    ]
    yield from _abreast("stopped by | open | apart | recorded", cells)
    wrong = [each for each in judged if not each.is_right]
    passed = sum(not each.rejected_by for each in wrong)
    held_up = sum(bool(each.rejected_by) for each in judged if each.is_right)
    paraphrases = sum(count for key, count in figures.total.items() if key[1] == RIGHT)
    yield ""
    yield (
        f"Stopped of right answers: {right} of {paraphrases} paraphrases, {held_up} of {len(judged) - len(wrong)} "
        f"recorded. Let pass: {passed} of {len(wrong)} recorded wrong answers; of spoiled ones:"
    )


def rows_of_kinds(figures: Figures) -> Iterator[str]:
    """Yield rows with every kind of spoiling: what was let pass, of how many."""
    kinds = sorted({key[1] for key in figures.total} - {RIGHT})
    named = [(kind, (kind,)) for kind in kinds] + [("**all**", tuple(kinds))]
    cells = [
        f"{name} | {_let_pass(figures, group, OPEN)} | {_let_pass(figures, group, APART)}" for name, group in named
    ]
    yield from _abreast("let pass | open | apart", cells)


def _abreast(head: str, cells: list[str]) -> Iterator[str]:
    """Yield a table, two entries to a row."""
    blank = " | " * head.count("|")
    yield f"| {head} | {head} |"
    yield "|" + "---|" * (2 * head.count("|") + 2)
    for left, other in zip_longest(cells[::2], cells[1::2], fillvalue=blank):
        yield f"| {left} | {other} |"


def _let_pass(figures: Figures, kinds: Sequence[str], part: str) -> str:
    keys = [key for key in figures.total if key[0] == part and key[1] in kinds]
    total = sum(figures.total[key] for key in keys)
    passed = total - sum(figures.stopped[key] for key in keys)
    return f"{passed} of {total}" if total else ""


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recorded", type=Path)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--names", default=DEFAULTS.names)
    options = parser.parse_args()
    settings = WorldSettings(DEFAULTS.profile, options.names, DEFAULTS.wordings)
    judging = Judging(frozenset(PARTS), frozenset((*KINDS, RIGHT)), every=options.every, settings=settings)
    figures = measured(judging, list(family_names()), options.seeds, options.jobs)
    judged = measure(list(read_scored(options.recorded)), (load_pack("ecom"),))
    print("\n".join((*rows_of_rules(figures, judged), "", *rows_of_kinds(figures))))


if __name__ == "__main__":
    main()
