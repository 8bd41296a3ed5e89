"""Measures whether the first message to the model shows the files that its task needs.

    python -m tests.bench.initial_prompt [--seed 7401] [--tasks 50] [--profiles prod,dev,hard] [--missing]

Tasks of the embedded shop are opened, as a run opens them. Needed are the files that the right
solution cites, the page that governs the task, and notices that override one of these pages.
"""

# Each task is opened with two declarations of tools: that of the embedded world, and that of the
# remote platform, whose first message has more room. For each the bench prints
#
# - recall: the share of the needed documents that is shown, and the share of the needed records;
#   both are means over trials
# - precision: of all characters of shown files, without the rules, the share in needed files
# - useful: of the same characters, the share in files that are needed or that an answer may cite
# - foreign: the number of records of another customer that a customer or guest is shown

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Final

from controlplane.benchmarks.bitgn.remote_runtime import TOOL_SCHEMA as REMOTE
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED
from controlplane.sandbox.interface import ToolSchema
from tests.support.single_trial import first_message_of

FAMILIES_BY_PAGE: Final = {
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
"""For each page of the shop's rules, the families of tasks that it decides.

A *family* is a kind of task: `basket-checkout.1` is the first task of `basket-checkout`.
"""

PROCESSES: Final = 2

FILE_SECTION: Final = re.compile(
    r'<section title="read ([^"]+?)(?: \([^")]*\))?">\n(.*?)\n</section>', re.DOTALL
)
"""Finds a shown file with its path and text: `<section title="read /docs/a.md (part)">`."""

NOTICE_DATE: Final = re.compile(r"/(\d{4}-\d\d-\d\d)-[^/]*\.md$")
"""Finds the date of a notice in its path, such as `/docs/notices/2026-03-01-returns.md`."""

DECLARATIONS: Final = ("embedded", "remote")
"""Whose tools and room a first message has: the embedded shop's, or the remote platform's."""


@dataclass(frozen=True)
class OpenedTrial:
    """What the first message of a trial shows of what the trial needs."""

    task_id: str
    profile: str
    declaration: str
    """One of `DECLARATIONS`."""
    chars: int
    """Characters of the whole first message."""
    needed: tuple[str, ...]
    """Paths of the files that the task needs."""
    missing: tuple[str, ...]
    """Those of them that are not shown."""
    chosen_chars: int
    """Characters of the files that are shown beside the rules."""
    needed_chars: int
    """Characters of the needed files among these."""
    useful_chars: int
    """Characters of the files among these that are needed or may be cited."""
    foreign: tuple[str, ...]
    """Records of another customer that are shown to a customer or guest."""

    @property
    def family(self) -> str:
        return family_of(self.task_id)

    @property
    def recall(self) -> float:
        """The share of the needed documents that is shown."""
        needed = [path for path in self.needed if is_document(path)]
        missing = [path for path in self.missing if is_document(path)]
        return shown_share(needed, missing)

    @property
    def record_recall(self) -> float:
        """The share of the needed records that is shown."""
        needed = [path for path in self.needed if not is_document(path)]
        missing = [path for path in self.missing if not is_document(path)]
        return shown_share(needed, missing)


def shown_share(needed: list[str], missing: list[str]) -> float:
    """Return which part of the needed files is not missing; 1 if none is needed."""
    if not needed:
        return 1.0
    return 1 - len(missing) / len(needed)


def is_document(path: str) -> bool:
    """Return whether a file is a page, a notice or the rules, not a record or an uploaded file."""
    is_at_top = path.count("/") == 1
    return path.startswith("/docs/") or is_at_top


def family_of(task_id: str) -> str:
    """Return `basket-checkout` for `basket-checkout.1`."""
    return task_id.rpartition(".")[0]


def file_of(citation: str) -> str:
    """Return the path of a citation, which may have a fragment: `/a.csv` for `/a.csv#row=1`."""
    return citation.partition("#")[0]


def needed_files(task: Task, family: str) -> set[str]:
    """Return the files that the right solution cites, the page that governs the family, and the
    notices in force that name one of these pages."""
    workspace = workspace_of(task.world)
    pages = set(task.truth.must_cite_pages)
    for page, families in FAMILIES_BY_PAGE.items():
        if family in families:
            pages.add(task.world.names.pages[page])

    needed = set()
    cited = {file_of(citation) for citation in task.truth.must_cite}
    for path in cited | pages:
        if path in workspace.files:
            needed.add(path)
    today = workspace.clock.date().isoformat()
    for path, text in workspace.files.items():
        notice_date = NOTICE_DATE.search(path)
        is_in_force = notice_date is not None and notice_date[1] <= today
        if is_in_force and any(page in text for page in pages):
            needed.add(path)
    return needed


def foreign_records(task: Task, shown: set[str]) -> Iterator[str]:
    """Yield the shown records that belong to another customer than the user.

    Staff may see all records, so for them there are none.
    """
    workspace = workspace_of(task.world)
    if "employee" in ", ".join(workspace.roles).lower():
        return
    for records in (task.world.baskets, task.world.payments, task.world.returns):
        for record in records.values():
            path = task.world.path(record)
            owner = owner_of(task, record)
            if path in shown and owner != workspace.user:
                yield path


def owner_of(task: Task, record: object) -> str:
    """Return the customer of a basket or a payment; of a return, that of its payment."""
    if hasattr(record, "customer_id"):
        return str(record.customer_id)
    payment = task.world.payments[str(getattr(record, "payment_id", ""))]
    return str(payment.customer_id)


def open_trial(task_id: str, seed: int, profile: str) -> list[OpenedTrial]:
    """Open a trial with each declaration, and compare what is shown with what it needs."""
    world_seed = TrialId(task_id, 0, seed, profile, "t").world_seed
    settings = replace(PLAYED, profile=profile, names="mixed")
    task = generate_task(task_id, world_seed, settings)
    needed = needed_files(task, family_of(task_id))
    citable = {file_of(citation) for citation in task.truth.may_cite}
    trials = []
    for declaration in DECLARATIONS:
        environment = EcomEnvironment(workspace_of(task.world))
        rules = rules_shown_by(environment.tool_schema) | rules_shown_by(REMOTE)
        if declaration == "remote":
            # The embedded environment, which stands for the platform, takes one call at a time.
            environment.tool_schema = replace(REMOTE, reads_side_by_side=False)
        message = "".join(first_message_of(task.instruction, environment).first_message)
        shown_texts: dict[str, str] = dict(FILE_SECTION.findall(message))
        chosen_texts = {}
        for path, text in shown_texts.items():
            if path not in rules:
                chosen_texts[path] = text

        trials.append(
            OpenedTrial(
                task_id=task_id,
                profile=profile,
                declaration=declaration,
                chars=len(message),
                needed=tuple(sorted(needed)),
                missing=tuple(sorted(needed - shown_texts.keys())),
                chosen_chars=chars_of(chosen_texts, set(chosen_texts)),
                needed_chars=chars_of(chosen_texts, needed),
                useful_chars=chars_of(chosen_texts, needed | citable),
                foreign=tuple(foreign_records(task, set(chosen_texts))),
            )
        )
    return trials


def rules_shown_by(tool_schema: ToolSchema) -> set[object]:
    """Return the paths that a declaration shows in every first message."""
    return {call.arguments.get("path") for call in tool_schema.initial_calls}


def chars_of(texts: dict[str, str], paths: set[str]) -> int:
    """Return how many characters the texts at these paths have together."""
    return sum(len(text) for path, text in texts.items() if path in paths)


def figures(name: str, trials: list[OpenedTrial]) -> str:
    """Return one line of figures over trials."""
    recall = sum(trial.recall for trial in trials) / len(trials)
    record_recall = sum(trial.record_recall for trial in trials) / len(trials)
    complete = len([trial for trial in trials if not trial.missing]) / len(trials)
    chosen_chars = max(sum(trial.chosen_chars for trial in trials), 1)
    precision = sum(trial.needed_chars for trial in trials) / chosen_chars
    useful = sum(trial.useful_chars for trial in trials) / chosen_chars
    foreign = sum(len(trial.foreign) for trial in trials)
    chars = [trial.chars for trial in trials]
    return (
        f"{name:32} {len(trials):4} trials: recall {recall:6.1%} (records {record_recall:6.1%}) "
        f"complete {complete:6.1%}; precision {precision:6.1%} useful {useful:6.1%}; "
        f"foreign {foreign}; "
        f"characters {sum(chars) // len(chars):,} on average, at most {max(chars):,}"
    )


def opened_trials(seed: int, profiles: list[str], tasks: int) -> list[OpenedTrial]:
    """Open the first tasks in each profile, on several processes."""
    trials = []
    with ProcessPoolExecutor(PROCESSES) as pool:
        for profile in profiles:
            chosen_tasks = task_ids()[:tasks]
            batches = pool.map(
                open_trial,
                chosen_tasks,
                repeat(seed),
                repeat(profile),
                chunksize=4,
            )
            for batch in batches:
                trials += batch
    return trials


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

    trials = opened_trials(options.seed, options.profiles.split(","), options.tasks)
    groups = defaultdict[str, list[OpenedTrial]](list)
    missing_by_folder = Counter[str]()
    for trial in trials:
        groups[f"{trial.declaration} {trial.profile}"].append(trial)
        groups[f"{trial.declaration}, all"].append(trial)
        if options.families:
            groups[f"{trial.declaration} {trial.family}"].append(trial)
        for path in trial.missing:
            folder = path.rpartition("/")[0] + "/"
            missing_by_folder[folder] += 1
        if options.missing and (trial.missing or trial.foreign):
            name = f"{trial.declaration} {trial.profile} {trial.task_id}"
            print(name, *trial.missing, *trial.foreign)

    for name in sorted(groups):
        print(figures(name, groups[name]))
    print("folders of what is missing:", missing_by_folder.most_common(12))


if __name__ == "__main__":
    main()
