"""Whether requests that need a change get the means for it, and how many that need none get them too.

    python -m tests.bench.change_permission [SEEDS] [WORDINGS]

Plays the check `permitted_changes` alone on all tasks of a default run of each seed, with scripted classifiers: right,
mute, and wrong in a tenth of the flags. WORDINGS are `unseen` (held out from all rules) or `known`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchmarks.ecom.identifiers import TrialId
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.posing import pose_task, task_ids
from benchmarks.ecom.world.profiles import PLAYED
from tests.bench.exoskeleton_parts import seeds_of
from tests.support.shop_classifier import reply_of, right_flags, wrong_in
from tests.support.shop_findings import found

BY_FILE = frozenset({"basket-addition", "crosslist", "inventory-export", "temporary-files"})
"""Families whose changes are made by writing and deleting; all others' by tools."""
ASKING = BY_FILE | {
    *("basket-checkout", "foreign-basket", "unnamed-basket", "discount-grant", "discount-limit", "discount-authority"),
    *("refund-approval", "refund-closure", "verification-restart", "external-system", "injected-block"),
}
"""Families that ask for a change; where none is due, policy or state forbid it."""
CLASSIFIERS = ("right", "mute", "wrong")


@dataclass(frozen=True)
class Permitted:
    """What one request needs, and what it gets."""

    family: str
    instruction: str
    classifier: str
    needs: str
    """`files`, `tools`, or nothing."""
    files: bool
    tools: bool

    @property
    def is_lost(self) -> bool:
        """It does not get what it needs."""
        return bool(self.needs) and not (self.files if self.needs == "files" else self.tools)

    @property
    def is_needless(self) -> bool:
        """It needs nothing, and gets something."""
        return not self.needs and (self.files or self.tools)


def permitted(seed: int, wordings: str, classifiers: tuple[str, ...] = CLASSIFIERS) -> Iterator[Permitted]:
    """Yield what the requests of a default run get, by classifier."""
    settings = replace(PLAYED, wordings=wordings)
    for task_id in task_ids():
        key = TrialId(task_id, 0, seed, settings.profile, "t").world_seed
        task, family = pose_task(task_id, key, settings), task_id.rpartition(".")[0]
        is_staff = not {"customer", "guest"} & set(task.world.roles)
        right = right_flags(family, task.truth, asker_is_staff=is_staff)
        says = {"right": reply_of(right), "mute": "{}", "wrong": reply_of(wrong_in(0.1, right, key))}
        environment = EcomEnvironment(task.world.workspace())
        for each in classifiers:
            result, _ = found(environment, "permitted_changes", request=task.instruction, intent=says[each])
            needs = ("files" if family in BY_FILE else "tools") if task.truth.changes else ""
            yield Permitted(family, task.instruction, each, needs, **result["value"])


def main(seeds: str = "1", wordings: str = "unseen") -> None:
    every = [each for seed in seeds_of(seeds) for each in permitted(seed, wordings)]
    for name in CLASSIFIERS:
        those = [each for each in every if each.classifier == name]
        needing = [each for each in those if each.needs]
        lost = [each for each in needing if each.is_lost]
        print(f"{name}: of {len(needing)} requests that need a change {len(lost)} lack the means")
        for asked in (True, False):
            without = [each for each in those if not each.needs and (each.family in ASKING) is asked]
            needless = Counter(each.family for each in without if each.is_needless)
            share = needless.total() / (len(without) or 1)
            what = "for a change that is not due" if asked else "for none"
            print(f"    of {len(without)} that ask {what} {needless.total()} ({share:.1%}) get some: {dict(needless)}")
        for text in sorted({f"{each.family}: {each.instruction[:150]!r}" for each in lost})[:10]:
            print("    -", text)


if __name__ == "__main__":
    main(*sys.argv[1:])
