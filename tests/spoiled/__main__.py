"""Prints what share of wrong answers the gates and the shop's rules stop, and how many right ones.

Usage: python -m tests.spoiled [--seeds 50] [--first-seed 0] [--families A,B] [--kinds A,B] [--part open|apart|all]
       [--jobs 2] [--every 1] [--profile prod] [--names mixed] [--wordings mixed]
       [--show-missed N] [--show-caught N] [--json]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from benchmarks.ecom.tasks.posing import family_names
from benchmarks.ecom.world.generator import DEFAULTS
from benchmarks.ecom.world.profiles import WorldSettings
from tests.benchmarks.ecom.variants import variant_ids
from tests.spoiled.figures import RIGHT, Figures, Judging
from tests.spoiled.kinds import KINDS
from tests.spoiled.report import as_data, lines_of
from tests.spoiled.spoil import APART, OPEN

CHUNK = 10
"""Seeds of one task that a process judges at a time."""


def main() -> None:
    """Judge and print."""
    options = _options()
    parts = frozenset((OPEN, APART) if options.part == "all" else (options.part,))
    judging = Judging(
        parts,
        frozenset(options.kinds),
        max(options.show_missed, options.show_caught),
        options.every,
        settings=WorldSettings(options.profile, options.names, options.wordings),
    )
    figures = measured(judging, options.families, options.seeds, options.jobs, options.first_seed)
    if options.json:
        print(json.dumps(as_data(figures), indent=1))
        return
    print("\n".join(lines_of(figures, sorted(parts, reverse=True))))
    for line in _examples(figures, options.show_missed, options.show_caught):
        print(line)


def measured(judging: Judging, families: list[str], seeds: int, jobs: int, first_seed: int = 0) -> Figures:
    """Return the figures of all tasks of these families over so many seeds, judged in so many processes."""
    tasks = [each for each in variant_ids() if each.partition("#")[0] in families]
    end = first_seed + seeds
    starts = range(first_seed, end, CHUNK)
    work = [(task, range(first, min(first + CHUNK, end))) for first in starts for task in tasks]
    figures = Figures()
    if jobs == 1:
        for task, numbers in work:
            figures += judging.judge(task, numbers)
        return figures
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for found in pool.map(judging.judge, *zip(*work, strict=True)):
            figures += found
    return figures


def _examples(figures: Figures, missed: int, caught: int) -> Iterator[str]:
    shown: Counter[tuple[str, bool]] = Counter()
    for each in figures.examples:
        is_caught = bool(each.stopped_by)
        shown[each.kind, is_caught] += 1
        if each.kind == RIGHT and is_caught:
            yield f"\nSTOPPED ALTHOUGH RIGHT: {each}"
        elif each.kind != RIGHT and shown[each.kind, is_caught] <= (caught if is_caught else missed):
            yield f"\n{'CAUGHT' if is_caught else 'MISSED'}: {each}"


def _options() -> argparse.Namespace:
    def names(known: tuple[str, ...]) -> type:
        def chosen(text: str) -> list[str]:
            wanted = text.split(",")
            if unknown := sorted(set(wanted) - set(known)):
                msg = f"{', '.join(unknown)}: use some of {', '.join(known)}"
                raise argparse.ArgumentTypeError(msg)
            return wanted

        return chosen

    everything = (*KINDS, RIGHT)
    parser = argparse.ArgumentParser(prog="python -m tests.spoiled", description=__doc__)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=0, metavar="N")
    parser.add_argument("--families", type=names(family_names()), default=list(family_names()))
    parser.add_argument("--kinds", type=names(everything), default=list(everything), help=f"some of {everything}")
    parser.add_argument("--part", choices=(OPEN, APART, "all"), default="all")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="judge one of N submissions")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show-missed", type=int, default=0, metavar="N", help="of each kind, open part only")
    parser.add_argument("--show-caught", type=int, default=0, metavar="N", help="of each kind, open part only")
    parser.add_argument("--profile", default=DEFAULTS.profile, help="of the worlds: dev, prod or hard")
    parser.add_argument("--names", default=DEFAULTS.names, help="of the worlds: own, public, random or mixed")
    parser.add_argument("--wordings", default=DEFAULTS.wordings, help="of the documents: known, unseen or mixed")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
