"""How often the initial prompt shows what a task needs: the pages and records that its reference solution cites.

    python -m tests.bench.initial_prompt [SEEDS] [PROFILES] [NAMES]

Each task of the embedded benchmark is opened once per profile, in the world of one of the seeds in turn. A trial is
complete if the initial prompt shows each file that the reference solution cites, the page that governs its family,
and each notice
in force that overrides one of these pages. With `INITIAL_PROMPT_MISSING=1` it prints what each trial lacks.
"""

import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from itertools import cycle
from typing import Final

from controlplane.benchmarks.ecom.ecom_benchmark import TrialId
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.families import generate_task, task_ids
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.generator import PLAYED
from tests.support.single_trial import first_message_of

GOVERNING: Final = {
    "archive": ("archive-fraud",),
    "catalogue": ("price-count", "product-existence", "sku-lookup"),
    "checkout": ("basket-addition", "basket-checkout", "unnamed-basket"),
    "crosslist": ("crosslist",),
    "discounts": ("discount-authority", "discount-grant", "discount-limit"),
    "dispatch": ("dispatch-wave",),
    "origins": ("origin-fact",),
    "returns": ("refund-approval", "refund-closure"),
    "staff": ("own-staff-record", "staff-count"),
    "stock": ("inventory-export", "stock-answer", "stock-count"),
    "uploads": ("receipt-rebuy", "receipt-reprice"),
    "verification": ("verification-restart",),
}
"""The page by which a family's tasks are decided, beside those that they cite."""
PROCESSES: Final = 2
_SHOWN: Final = re.compile(r'<section title="read ([^"]+?)(?: \([^")]*\))?">')
_NOTICE: Final = re.compile(r"/(\d{4}-\d\d-\d\d)-[^/]*$")


@dataclass(frozen=True)
class Opened:
    """What the initial prompt of a trial shows of what the trial needs."""

    trial: str
    world: str
    chars: int
    missing: tuple[str, ...]


def needed_files(task: Task, family: str) -> Iterator[str]:
    """Yield the files that the truth cites, the page that governs, and the notices in force that override a page."""
    workspace, truth = task.world.workspace(), task.truth
    pages = {
        task.world.names.documents[page]
        for page, families in GOVERNING.items()
        if family in families
    }
    pages.update(truth.documents)
    cited = {path.partition("#")[0] for path in truth.records} | pages
    yield from (path for path in cited if path in workspace.files)
    for path, text in workspace.files.items():
        dated = _NOTICE.search(path)
        in_force = (
            dated
            and path.endswith(".md")
            and date.fromisoformat(dated[1]) <= workspace.clock.date()
        )
        if in_force and any(page in text for page in pages):
            yield path


def open_trial(task_id: str, seed: int, profile: str, names: str) -> Opened:
    """Open a trial as a run does, and compare what it shows with what its truth needs."""
    key = TrialId(task_id, 0, seed, profile, "t").world_seed
    task = generate_task(task_id, key, replace(PLAYED, profile=profile, names=names))
    environment = EcomEnvironment(task.world.workspace())
    pieces = first_message_of(task.instruction, environment).first_message
    shown = set(_SHOWN.findall("".join(pieces)))
    needed = set(needed_files(task, task_id.rpartition(".")[0]))
    return Opened(
        task_id, f"{profile} {seed}", sum(map(len, pieces)), tuple(sorted(needed - shown))
    )


def figures(name: str, trials: list[Opened]) -> str:
    """Return one line of figures."""
    pages = sum(not any(path.startswith("/docs/") for path in trial.missing) for trial in trials)
    complete = sum(not trial.missing for trial in trials)
    chars = [trial.chars for trial in trials]
    return (
        f"{name:22} {complete / len(trials):6.1%} of {len(trials)} complete, in pages {pages / len(trials):6.1%}; "
        f"characters {sum(chars) // len(chars):,} on average, at most {max(chars):,}"
    )


def main(seeds: str = "1-5", profiles: str = "prod,dev,hard", names: str = "mixed") -> None:
    first, _, last = seeds.partition("-")
    chosen = cycle(range(int(first), int(last or first) + 1))
    tasks = list(zip(task_ids(), chosen, strict=False))
    asked = [(*task, profile, names) for task in tasks for profile in profiles.split(",")]
    with ProcessPoolExecutor(PROCESSES) as pool:
        opened = list(pool.map(open_trial, *zip(*asked, strict=True), chunksize=4))
    groups, missed = defaultdict(list), Counter[str]()
    for (_, _, profile, _), trial in zip(asked, opened, strict=True):
        groups[profile].append(trial)
        groups[trial.trial.rpartition(".")[0]].append(trial)
        missed.update({re.sub(r"[^/]+$", "", path) for path in trial.missing})
    for name, trials in groups.items():
        print(figures(name, trials))
    print(figures("all", opened))
    print("folders of what is missing:", missed.most_common(12))
    if os.environ.get("INITIAL_PROMPT_MISSING"):
        for trial in opened:
            if trial.missing:
                print(trial.world, trial.trial, *trial.missing)


if __name__ == "__main__":
    main(*sys.argv[1:])
