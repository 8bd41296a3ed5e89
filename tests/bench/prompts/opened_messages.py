"""First messages of tasks of the embedded shop, with what is measured of them.

The message of `basket-checkout.1`, on the platform "remote", shows 4 files. 3 are rules, which stand
in every message. The fourth, a basket, was chosen for the task:

    MeasuredMessage("basket-checkout.1", platform="remote", chosen_chars={"/proc/...": 412}, ...)

A *platform* is where the tasks are played: the embedded shop, or a remote server with other tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, product, repeat
from typing import Final

from controlplane.agent.events import ConversationOpened, TrialEvent
from controlplane.agent.evidence import Environment, Tape, new_recorder
from controlplane.agent.loop import TrialContext
from controlplane.agent.loop.scripts import build_initial_prompt
from controlplane.benchmarks.bitgn.client.remote_benchmark import TOOL_SCHEMA as REMOTE
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.families import task_ids
from controlplane.benchmarks.ecom.tasks.truth import WorldTask
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.names import PLAYED
from controlplane.benchmarks.ecom.world.world import workspace_of
from tests.benchmarks.ecom.variants import task_in_run

# Records of another customer that the first message of a task shows, which it should not.


def foreign_records(task: WorldTask, shown: set[str]) -> Iterator[str]:
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


def owner_of(task: WorldTask, record: object) -> str:
    """Return the customer of a basket or a payment; of a return, that of its payment."""
    if hasattr(record, "customer_id"):
        return str(record.customer_id)
    payment = task.world.payments[str(getattr(record, "payment_id", ""))]
    return str(payment.customer_id)


# The first message of a trial as it is measured: which files it shows, and which the task needs.
#
# Needed are the files that the right solution cites, the page that governs the task, and notices that
# override one of these pages. *Recall* is the share of the needed files that is shown, counted for
# documents (pages, notices and rules) and for records.


@dataclass(frozen=True)
class MeasuredMessage:
    """The first message of a trial, and what it should show. Files are given by their paths."""

    task_id: str
    profile: str
    """The kind of the generated shop: "prod", "dev" or "hard"."""
    platform: str
    """Where the shop is, "embedded" or "remote"."""
    chars: int
    """Characters of the whole message."""
    shown: frozenset[str]
    """All shown files."""
    chosen_chars: Mapping[str, int]
    """The characters of each shown file, without the rules, which every message shows."""
    needed: frozenset[str]
    """The files that the task needs."""
    citable: frozenset[str]
    """Further files that the answer may cite."""
    foreign: tuple[str, ...]
    """Records of another customer that are shown to a customer or guest."""
    named: frozenset[str]
    """The shown files that the request names."""

    @property
    def family(self) -> str:
        return family_of(self.task_id)

    @property
    def missing(self) -> list[str]:
        """The needed files that are not shown."""
        return sorted(self.needed - self.shown)

    @property
    def document_recall(self) -> float:
        """The share of the needed documents that is shown."""
        documents = [path for path in self.needed if is_document(path)]
        return self._shown_share(documents)

    @property
    def record_recall(self) -> float:
        """The share of the needed records that is shown."""
        records = [path for path in self.needed if not is_document(path)]
        return self._shown_share(records)

    def _shown_share(self, paths: list[str]) -> float:
        """Return the share of some files that is shown; 1 if there are none."""
        if not paths:
            return 1.0
        return len(self.shown.intersection(paths)) / len(paths)

    def chosen_chars_of(self, paths: frozenset[str]) -> int:
        """Return how many characters of these files are shown."""
        return sum(chars for path, chars in self.chosen_chars.items() if path in paths)

    def with_chosen(self, kept: frozenset[str]) -> MeasuredMessage:
        """Return this message as if it showed only the `kept` files beside the rules."""
        chosen_chars = {
            path: chars for path, chars in self.chosen_chars.items() if path in kept
        }
        left_out_chars = sum(self.chosen_chars.values()) - sum(chosen_chars.values())
        return replace(
            self,
            chars=self.chars - left_out_chars,
            shown=self.shown.difference(self.chosen_chars).union(chosen_chars),
            chosen_chars=chosen_chars,
        )


def is_document(path: str) -> bool:
    """Return whether a file is a page, a notice or the rules, not a record or an uploaded file.

    `/docs/returns.md` and `/AGENTS.MD` are documents, `/proc/baskets/basket_4.json` is a record.
    """
    is_at_top = path.count("/") == 1
    return path.startswith("/docs/") or is_at_top


def family_of(task_id: str) -> str:
    """Return `basket-checkout` for `basket-checkout.1`."""
    return task_id.rpartition(".")[0]


# Which files the first message to the model should show for a task of the embedded shop, and which not.
#
# A task needs the files that its right solution cites, the page that governs it, and the notices in
# force that override one of these pages: for `basket-checkout.1`, say
#
#     {"/proc/carts/basket-0412.json", "/docs/checkout.md", "/docs/notices/2026-03-01-checkout.md"}
#
# Records of another customer than the one who asks should not be shown.

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

NOTICE_DATE: Final = re.compile(r"/(\d{4}-\d\d-\d\d)-[^/]*\.md$")
"""Finds the date of a notice in its path, such as `/docs/notices/2026-03-01-returns.md`."""


def needed_files(task: WorldTask, family: str) -> set[str]:
    """Return the paths of the files that a task of a family needs."""
    workspace = workspace_of(task.world)
    pages = set(task.truth.must_cite_pages)
    for page, families in FAMILIES_BY_PAGE.items():
        if family in families:
            pages.add(task.world.names.pages[page])
    cited = {file_of(citation) for citation in task.truth.must_cite}

    existing = {path for path in cited | pages if path in workspace.files}
    return existing | notices_on(pages, workspace)


def notices_on(pages: set[str], workspace: Workspace) -> set[str]:
    """Return the notices in force that name one of these pages."""
    today = workspace.clock.date().isoformat()
    notices = set()
    for path, text in workspace.files.items():
        notice_date = NOTICE_DATE.search(path)
        is_in_force = notice_date is not None and notice_date[1] <= today
        if is_in_force and any(page in text for page in pages):
            notices.add(path)
    return notices


def file_of(citation: str) -> str:
    """Return the path of a citation, which may have a fragment: `/a.csv` for `/a.csv#row=1`."""
    return citation.partition("#")[0]


# Files that the first message of a task shows, and those that every first message shows, the rules.
#
#     <section title="read /docs/checkout.md">
#     A basket is checked out if ...
#     </section>
#
# `shown_files` returns the text in each such section of a message, by the path of the file:
# `{"/docs/checkout.md": "A basket is checked out if ..."}`.

PLATFORMS: Final = ("embedded", "remote")
"""Where the shop is: generated in this process, or on a remote server. The two have different tools,
and limits for the length of a first message."""


def environment_on(platform: str, task: WorldTask) -> EcomEnvironment:
    """Return the environment of a task, with the tools of a platform: "embedded" or "remote".

    The tools also decide how much room the first message has.
    """
    environment = EcomEnvironment(workspace_of(task.world))
    if platform == "remote":
        # The remote platform takes several calls at a time, this environment only one.
        environment.tool_schema = replace(REMOTE, reads_side_by_side=False)
    return environment


def shown_files(message: str) -> dict[str, str]:
    """Return the texts of the files that a message shows, by path.

    A title may say which part is shown: `<section title="read /docs/a.md (lines 1 to 7)">`.
    """
    section = r'<section title="read ([^"]+?)(?: \([^")]*\))?">\n(.*?)\n</section>'
    return dict(re.findall(section, message, re.DOTALL))


def rule_files(task: WorldTask) -> set[object]:
    """Return the paths of the rules: the files that the initial calls of some platform read.

    Initial calls are made for every task, such as `read(path="/AGENTS.MD")` and `context()`.
    """
    paths: set[object] = set()
    for platform in PLATFORMS:
        for call in environment_on(platform, task).tool_schema.initial_calls:
            if "path" in call.arguments:
                paths.add(call.arguments["path"])
    return paths


# The first message of a trial to its model: the initial prompt.
#
# `first_message_of("How many?", environment).first_message` is its text, in parts.


def first_message_of(instruction: str, environment: Environment) -> ConversationOpened:
    """Return the event that opens a trial's conversation; its text is the initial prompt.

    The prompt shows the instruction, and the results of calls that are made before the model's
    first reply, such as `list`.
    """

    def ignore(event: TrialEvent) -> None:
        """Ignore the events of the first calls; a trial would write them to its journal."""

    recorder = new_recorder("preview", environment, ignore, tape=Tape())
    # The calls before the model's first reply count as step 0.
    recorder.step_log.begin(0)
    trial = TrialContext("preview", "preview", instruction, environment.now())
    return build_initial_prompt(trial, recorder)


# Figures over many first messages: whether they show the files that their tasks need.
#
# Some of the shown files, the rules, stand in every message. The others are *chosen* for the task:
#
# - recall: the share of the documents that the task needs which the message shows, on average
# - records: the same share of the needed records
# - complete: the share of the messages that show every needed file
# - precision: the share of the chosen files' characters that the task needs
# - useful: the same, with files that the answer may cite but need not
# - foreign: the number of records of another customer that are shown to a customer or guest


@dataclass(frozen=True)
class Figures:
    """The figures over some messages."""

    recall: float
    record_recall: float
    complete: float
    precision: float | None
    """None if no message shows a chosen file."""
    useful: float | None


def measured_figures(messages: list[MeasuredMessage]) -> Figures:
    """Return the figures over these messages."""
    count = len(messages)
    chosen_chars = needed_chars = useful_chars = 0
    for message in messages:
        chosen_chars += sum(message.chosen_chars.values())
        needed_chars += message.chosen_chars_of(message.needed)
        useful_chars += message.chosen_chars_of(message.needed | message.citable)
    return Figures(
        recall=sum(message.document_recall for message in messages) / count,
        record_recall=sum(message.record_recall for message in messages) / count,
        complete=len([message for message in messages if not message.missing]) / count,
        precision=needed_chars / chosen_chars if chosen_chars else None,
        useful=useful_chars / chosen_chars if chosen_chars else None,
    )


def figures(name: str, messages: list[MeasuredMessage]) -> str:
    """Return the figures in one line.

    `figures("embedded prod", messages)` -> `"embedded prod  50 trials: recall 99.0% ..."`
    """
    count = len(messages)
    measured = measured_figures(messages)
    foreign = sum(len(message.foreign) for message in messages)
    chars = [message.chars for message in messages]
    return (
        f"{name:32} {count:4} trials: recall {measured.recall:6.1%} "
        f"(records {measured.record_recall:6.1%}) complete {measured.complete:6.1%}; "
        f"precision {measured.precision or 0:6.1%} useful {measured.useful or 0:6.1%}; "
        f"foreign {foreign}; "
        f"characters {sum(chars) // count:,} on average, at most {max(chars):,}"
    )


# A table: what first messages show of what their tasks need, if files are chosen in three ways.
#
# | a first message shows | documents | records | precision | characters |
# |---|---|---|---|---|
# | the files that fit the request, ranked | 91 % | 87 % | 38 % | 9,700 |


def recall_table(messages: list[MeasuredMessage]) -> list[str]:
    """Return the lines of the table."""
    nothing = frozenset[str]()
    named = [message.with_chosen(message.named) for message in messages]
    without_files = [message.with_chosen(nothing) for message in messages]
    return [
        "| a first message shows | recall: documents | records | precision | useful | characters, mean | most |",
        "|---|---|---|---|---|---|---|",
        _table_row("files that fit the request, ranked", messages),
        _table_row("files that the request names", named),
        _table_row("no files but the rules", without_files),
    ]


def _table_row(title: str, messages: list[MeasuredMessage]) -> str:
    measured = measured_figures(messages)
    shares = (
        measured.recall,
        measured.record_recall,
        measured.precision,
        measured.useful,
    )
    cells = ["–" if share is None else f"{share:.1%}" for share in shares]
    chars = [message.chars for message in messages]
    cells += [f"{sum(chars) // len(chars):,}", f"{max(chars):,}"]
    return f"| {title} | {' | '.join(cells)} |"


PROCESSES: Final = 2


def messages_of_tasks(
    task_count: int, seeds: Iterable[int], profiles: list[str]
) -> list[MeasuredMessage]:
    """Return the first messages of the first tasks, in shops of each seed and profile: "prod"."""
    messages: list[MeasuredMessage] = []
    tasks = task_ids()[:task_count]
    with ProcessPoolExecutor(PROCESSES) as pool:
        for seed, profile in product(seeds, profiles):
            messages_by_task = pool.map(
                messages_of_task, tasks, repeat(seed), repeat(profile), chunksize=4
            )
            messages += chain.from_iterable(messages_by_task)
    return messages


def messages_of_task(task_id: str, seed: int, profile: str) -> list[MeasuredMessage]:
    """Return the first messages of a task, one with the tools of each platform."""
    # "mixed": the seed chooses the names of the fields of records.
    settings = replace(PLAYED, profile=profile, names="mixed")
    task = task_in_run(task_id, seed=seed, settings=settings)
    return [
        measured_message(task_id, task, profile, platform) for platform in PLATFORMS
    ]


def measured_message(
    task_id: str, task: WorldTask, profile: str, platform: str
) -> MeasuredMessage:
    """Return the first message of a task with the tools of a platform, and what it should show."""
    environment = environment_on(platform, task)
    opened = first_message_of(task.instruction, environment)
    message = "".join(opened.first_message)
    named = [file.path for file in opened.files if "named" in file.reason.split("+")]
    shown_texts = shown_files(message)
    rules = rule_files(task)
    chosen_chars = {
        path: len(text) for path, text in shown_texts.items() if path not in rules
    }
    return MeasuredMessage(
        task_id=task_id,
        profile=profile,
        platform=platform,
        chars=len(message),
        shown=frozenset(shown_texts),
        chosen_chars=chosen_chars,
        needed=frozenset(needed_files(task, family_of(task_id))),
        citable=frozenset(file_of(citation) for citation in task.truth.may_cite),
        foreign=tuple(foreign_records(task, set(chosen_chars))),
        named=frozenset(named),
    )
