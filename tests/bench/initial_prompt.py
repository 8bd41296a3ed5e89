"""How much of the first message is what a task needs, and how much of what a task needs is in it.

    python -m tests.bench.initial_prompt [--seed 7401] [--tasks 50] [--profiles prod,dev,hard] [--missing]

The first tasks of the embedded shop are opened once a profile, as a run does: with the
declaration of the embedded world, and with that of the remote platform, whose first
message has more room. Every profile has all its families. Needed are the files that the
reference solution cites, the page that governs the family, and each notice in force
that overrides one of these pages. For each declaration the bench prints

- recall: the share of a trial's needed documents that are shown, as a mean over trials;
  and the same of its records
- precision: of the characters of files beside
  the rules, the share that belongs to needed files
- useful: the same, where files that an answer may cite, too, count as needed
- foreign: records of another customer that a customer or guest is shown
"""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Final

from controlplane.benchmarks.bitgn.remote_runtime import TOOL_SCHEMA as REMOTE
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.families import generate_task, task_ids
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED
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
SECTION: Final = re.compile(
    r'<section title="read ([^"]+?)(?: \([^")]*\))?">\n(.*?)\n</section>', re.DOTALL
)
NOTICE: Final = re.compile(r"/(\d{4}-\d\d-\d\d)-[^/]*\.md$")


@dataclass(frozen=True)
class OpenedTrial:
    """What the first message of a trial shows of what the trial needs."""

    task_id: str
    profile: str
    declaration: str
    """`embedded` or `remote`."""
    chars: int
    """Characters of the whole first message."""
    needed: tuple[str, ...]
    missing: tuple[str, ...]
    chosen_chars: int
    """Characters of the files that are shown beside the rules."""
    needed_chars: int
    """Those of the files that are needed."""
    useful_chars: int
    """Those of the files that are needed or may be cited."""
    foreign: tuple[str, ...]
    """Records of another customer that are shown to a customer or guest."""

    @property
    def recall(self) -> float:
        return found_share(self.needed, self.missing, are_documents=True)

    @property
    def record_recall(self) -> float:
        return found_share(self.needed, self.missing, are_documents=False)


def found_share(
    needed: tuple[str, ...], missing: tuple[str, ...], *, are_documents: bool
) -> float:
    """Return the share of the needed documents, or of the needed records, that is not missing."""
    asked = [path for path in needed if is_document(path) == are_documents]
    absent = [path for path in missing if is_document(path) == are_documents]
    return 1 - len(absent) / len(asked) if asked else 1.0


def is_document(path: str) -> bool:
    """Say whether a file is a page, a notice or the rules, not a record or an uploaded file."""
    return path.startswith("/docs/") or path.count("/") == 1


def needed_files(task: Task, family: str) -> Iterator[str]:
    """Yield the files that the truth cites, the page that governs,
    and the notices in force that override a page."""
    workspace = workspace_of(task.world)
    truth = task.truth
    pages = set(truth.must_cite_pages)
    for page, families in GOVERNING.items():
        if family in families:
            pages.add(task.world.names.pages[page])
    cited = {path.partition("#")[0] for path in truth.must_cite} | pages
    for path in sorted(cited):
        if path in workspace.files:
            yield path
    today = workspace.clock.date().isoformat()
    for path, text in workspace.files.items():
        dated = NOTICE.search(path)
        if dated and dated[1] <= today and any(page in text for page in pages):
            yield path


def foreign_records(task: Task, shown: set[str]) -> Iterator[str]:
    """Yield the shown records that belong to another
    customer, unless somebody of the staff asks."""
    workspace = workspace_of(task.world)
    if "employee" in ", ".join(workspace.roles).lower():
        return
    families = (task.world.baskets, task.world.payments, task.world.returns)
    for family in families:
        for record in family.values():
            path = task.world.path(record)
            owner = owner_of(task, record)
            if path in shown and owner != workspace.user:
                yield path


def owner_of(task: Task, record: object) -> str:
    """Return the customer of a basket, of a payment, or of the payment of a return."""
    if hasattr(record, "customer_id"):
        return str(record.customer_id)
    payment = task.world.payments[str(getattr(record, "payment_id", ""))]
    return str(payment.customer_id)


def open_trial(task_id: str, seed: int, profile: str) -> list[OpenedTrial]:
    """Open a trial with both declarations, and compare what is shown with what its truth needs."""
    key = TrialId(task_id, 0, seed, profile, "t").world_seed
    task = generate_task(task_id, key, replace(PLAYED, profile=profile, names="mixed"))
    needed = set(needed_files(task, task_id.rpartition(".")[0]))
    useful = needed | {path.partition("#")[0] for path in task.truth.may_cite}
    trials = []
    for declaration in ("embedded", "remote"):
        environment = EcomEnvironment(workspace_of(task.world))
        embedded = environment.tool_schema
        if declaration == "remote":
            environment.tool_schema = replace(REMOTE, reads_side_by_side=False)
        message = "".join(first_message_of(task.instruction, environment).first_message)
        rules = {call.arguments.get("path") for call in embedded.initial_calls}
        rules |= {call.arguments.get("path") for call in REMOTE.initial_calls}
        texts = dict(SECTION.findall(message))
        chosen = {path: len(text) for path, text in texts.items() if path not in rules}
        trials.append(
            OpenedTrial(
                task_id,
                profile,
                declaration,
                chars=len(message),
                needed=tuple(sorted(needed)),
                missing=tuple(sorted(needed - texts.keys())),
                chosen_chars=sum(chosen.values()),
                needed_chars=sum(
                    count for path, count in chosen.items() if path in needed
                ),
                useful_chars=sum(
                    count for path, count in chosen.items() if path in useful
                ),
                foreign=tuple(foreign_records(task, set(chosen))),
            )
        )
    return trials


def figures(name: str, trials: list[OpenedTrial]) -> str:
    """Return one line of figures."""
    recall = sum(trial.recall for trial in trials) / len(trials)
    records = sum(trial.record_recall for trial in trials) / len(trials)
    complete = sum(not trial.missing for trial in trials) / len(trials)
    chosen = sum(trial.chosen_chars for trial in trials)
    precision = sum(trial.needed_chars for trial in trials) / max(chosen, 1)
    useful = sum(trial.useful_chars for trial in trials) / max(chosen, 1)
    foreign = sum(len(trial.foreign) for trial in trials)
    chars = [trial.chars for trial in trials]
    return (
        f"{name:32} {len(trials):4} trials: recall {recall:6.1%} (records {records:6.1%}) complete {complete:6.1%}; "
        f"precision {precision:6.1%} useful {useful:6.1%}; foreign {foreign}; "
        f"characters {sum(chars) // len(chars):,} on average, at most {max(chars):,}"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=7401)
    parser.add_argument("--tasks", type=int, default=50)
    parser.add_argument("--profiles", default="prod,dev,hard")
    parser.add_argument(
        "--missing", action="store_true", help="print what each trial lacks"
    )
    parser.add_argument(
        "--families", action="store_true", help="print a line for each family"
    )
    options = parser.parse_args()
    asked = [
        (task_id, options.seed, profile)
        for profile in options.profiles.split(",")
        for task_id in task_ids()[: options.tasks]
    ]
    with ProcessPoolExecutor(PROCESSES) as pool:
        batches = list(pool.map(open_trial, *zip(*asked, strict=True), chunksize=4))
    groups = defaultdict[str, list[OpenedTrial]](list)
    missed = Counter[str]()
    for trial in (trial for batch in batches for trial in batch):
        groups[f"{trial.declaration} {trial.profile}"].append(trial)
        if options.families:
            groups[f"{trial.declaration} {trial.task_id.rpartition('.')[0]}"].append(
                trial
            )
        groups[f"{trial.declaration}, all"].append(trial)
        missed.update(re.sub(r"[^/]+$", "", path) for path in trial.missing)
        if options.missing and (trial.missing or trial.foreign):
            print(
                trial.declaration,
                trial.profile,
                trial.task_id,
                *trial.missing,
                *trial.foreign,
            )
    for name in sorted(groups):
        print(figures(name, groups[name]))
    print("folders of what is missing:", missed.most_common(12))


if __name__ == "__main__":
    main()
