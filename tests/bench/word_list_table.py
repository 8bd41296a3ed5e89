"""Prints what each word list of the rules stops: emptied alone, how many spoiled answers pass that were stopped.

    python tests/bench/word_list_table.py [--every 60] [--wordings known] [--seed 0] [--jobs 2] [--formats]

The trials are played once; a fork of this process empties one list and judges again what was stopped with all of them.
So the cost grows with lists times submissions: with one in 60 it is some minutes.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.ecom.world.profiles import WorldSettings
from tests.benchmarks.ecom.variants import variant_ids
from tests.spoiled.ablation import caches, empty_word_lists, word_lists
from tests.spoiled.kinds import KINDS, PART_OF
from tests.spoiled.played_trial import PlayedTrial
from tests.spoiled.spoil import APART, OPEN, Spoil


def spoils(every: int, seed: int, settings: WorldSettings) -> Iterator[tuple[str, Spoil]]:
    """Yield one in so many wrong submissions of every case, each with its part."""
    for variant_id in variant_ids():
        trial = PlayedTrial.pose(variant_id, f"spoiled {seed}", settings=settings)
        for name, kind in sorted(KINDS.items()):
            for number, spoil in enumerate(kind.make(trial)):
                drawn = crc32(f"{name}|{spoil.wording}|{variant_id}|{seed}|{number}".encode()) % every == 0
                if drawn and (spoil.is_wrong_unseen or not spoil.play.is_right(spoil.pad)):
                    yield APART if PART_OF.get(name) == APART else spoil.part, spoil


class Fork:
    """A child that judges submissions with some lists emptied, none for no names."""

    def __init__(self, chosen: Sequence[tuple[str, Spoil]], names: Sequence[str], *, of_formats: bool = False) -> None:
        self._names, self._count = names, len(chosen)
        self._reader, writer = os.pipe()
        self._child = os.fork()
        if not self._child:
            if names:
                empty_word_lists(names, of_formats=of_formats)
            os.write(writer, bytes(not spoil.play.judge(spoil.pad).accepted for _, spoil in chosen))
            os._exit(0)
        os.close(writer)

    def stopped(self) -> list[bool]:
        """Return which submissions are stopped, once the child has ended."""
        with os.fdopen(self._reader, "rb") as found:
            answer = found.read()
        os.waitpid(self._child, 0)
        if len(answer) != self._count:
            msg = f"judging without {self._names} failed"
            raise RuntimeError(msg)
        return [bool(each) for each in answer]


def main() -> None:
    """Print a row for each list that stops anything alone, and the number of the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=60)
    parser.add_argument("--wordings", default="known")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--formats", action="store_true", help="the words of formats in place of the others")
    options = parser.parse_args()
    chosen = list(spoils(options.every, options.seed, WorldSettings(names="own", wordings=options.wordings)))
    lists = word_lists(of_formats=options.formats)
    caches()
    gc.freeze()  # no fork copies the trials by collecting them
    whole = Fork(chosen, []).stopped()
    kept = [each for each, is_stopped in zip(chosen, whole, strict=True) if is_stopped]
    totals = {part: sum(each == part for each, _ in chosen) for part in (OPEN, APART)}
    print(f"{len(kept)} of {len(chosen)} stopped with all lists")
    rows = []
    running: list[Fork] = []
    for ahead, name in enumerate(lists):
        running += (
            Fork(kept, [each], of_formats=options.formats)
            for each in lists[ahead + len(running) : ahead + options.jobs]
        )
        left = running.pop(0).stopped()
        lost = {
            part: sum(each == part and not held for (each, _), held in zip(kept, left, strict=True)) for part in totals
        }
        rows.append((name, lost))
    for name, lost in sorted(rows, key=lambda each: -sum(each[1].values())):
        if any(lost.values()):
            cells = "  ".join(f"{part} {count} of {totals[part]}" for part, count in lost.items())
            print(f"{name:70} {cells}")
    print(f"{sum(not any(lost.values()) for _, lost in rows)} of {len(rows)} lists stop nothing alone")


if __name__ == "__main__":
    main()
