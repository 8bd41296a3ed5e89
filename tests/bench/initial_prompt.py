"""Measures whether the first message to the model shows the files that its task needs.

    python -m tests.bench.initial_prompt [--seed 7401] [--tasks 50] [--profiles prod,dev,hard] [--missing]

Tasks of the embedded shop are opened, as a run opens them. Needed are the files that the right
solution cites, the page that governs the task, and notices that override one of these pages.
"""

# Each task is opened with the tools of two platforms: those of the embedded shop, and those of the
# remote platform, whose first message has more room. For each platform the bench prints
#
# - recall: the share of the needed documents that is shown, and the share of the needed records;
#   both are means over the messages
# - complete: the share of the messages that show all needed files
# - precision: of all characters of shown files, without the rules, the share in needed files
# - useful: of the same characters, the share in files that are needed or that an answer may cite
# - foreign: the number of records of another customer that a customer or guest is shown

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
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
from tests.bench.needed_files import file_of, foreign_records, needed_files
from tests.support.single_trial import first_message_of

PROCESSES: Final = 2

FILE_SECTION: Final = re.compile(
    r'<section title="read ([^"]+?)(?: \([^")]*\))?">\n(.*?)\n</section>', re.DOTALL
)
"""Finds a shown file with its path and text: `<section title="read /docs/a.md (part)">`."""

PLATFORMS: Final = ("embedded", "remote")
"""Whose tools and room a first message has: the embedded shop's, or the remote platform's."""


@dataclass(frozen=True)
class MeasuredMessage:
    """The first message of a trial, and what it should show. Files are given by their paths."""

    task_id: str
    profile: str
    """The kind of the generated shop: "prod", "dev" or "hard"."""
    platform: str
    """One of `PLATFORMS`."""
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

    @property
    def family(self) -> str:
        return family_of(self.task_id)

    @property
    def missing(self) -> list[str]:
        """The needed files that are not shown."""
        return sorted(self.needed - self.shown)

    @property
    def recall(self) -> float:
        """The share of the needed documents that is shown."""
        return self._shown_share([path for path in self.needed if is_document(path)])

    @property
    def record_recall(self) -> float:
        """The share of the needed records that is shown."""
        return self._shown_share(
            [path for path in self.needed if not is_document(path)]
        )

    def _shown_share(self, paths: list[str]) -> float:
        """Return which part of some files is shown; 1 if there are none."""
        if not paths:
            return 1.0
        return len(self.shown.intersection(paths)) / len(paths)

    def chosen_chars_of(self, paths: frozenset[str]) -> int:
        """Return how many characters of these files are shown."""
        return sum(chars for path, chars in self.chosen_chars.items() if path in paths)


def is_document(path: str) -> bool:
    """Return whether a file is a page, a notice or the rules, not a record or an uploaded file."""
    is_at_top = path.count("/") == 1
    return path.startswith("/docs/") or is_at_top


def family_of(task_id: str) -> str:
    """Return `basket-checkout` for `basket-checkout.1`."""
    return task_id.rpartition(".")[0]


# Measuring -----------------------------------------------------------------------------------


def messages_of_task(task_id: str, seed: int, profile: str) -> list[MeasuredMessage]:
    """Return the first messages of a task, one with the tools of each platform."""
    world_seed = TrialId(task_id, 0, seed, profile, "t").world_seed
    settings = replace(PLAYED, profile=profile, names="mixed")
    task = generate_task(task_id, world_seed, settings)
    needed = needed_files(task, family_of(task_id))
    citable = {file_of(citation) for citation in task.truth.may_cite}
    embedded_rules = rules_shown_by(environment_on("embedded", task).tool_schema)
    rules = embedded_rules | rules_shown_by(REMOTE)

    messages = []
    for platform in PLATFORMS:
        environment = environment_on(platform, task)
        message = "".join(first_message_of(task.instruction, environment).first_message)
        shown_texts = dict(FILE_SECTION.findall(message))
        chosen_chars = {
            path: len(text) for path, text in shown_texts.items() if path not in rules
        }
        messages.append(
            MeasuredMessage(
                task_id=task_id,
                profile=profile,
                platform=platform,
                chars=len(message),
                shown=frozenset(shown_texts),
                chosen_chars=chosen_chars,
                needed=frozenset(needed),
                citable=frozenset(citable),
                foreign=tuple(foreign_records(task, set(chosen_chars))),
            )
        )
    return messages


def environment_on(platform: str, task: Task) -> EcomEnvironment:
    """Return the embedded environment of a task, which can stand for the remote platform."""
    environment = EcomEnvironment(workspace_of(task.world))
    if platform == "remote":
        # Unlike the remote platform, it takes one call at a time.
        environment.tool_schema = replace(REMOTE, reads_side_by_side=False)
    return environment


def rules_shown_by(tool_schema: ToolSchema) -> set[object]:
    """Return the paths of the files that a platform shows in every first message."""
    return {call.arguments.get("path") for call in tool_schema.initial_calls}


def messages_of_tasks(
    task_count: int, seed: int, profiles: list[str]
) -> list[MeasuredMessage]:
    """Return the first messages of the first tasks in each profile, made on several processes."""
    messages = []
    with ProcessPoolExecutor(PROCESSES) as pool:
        for profile in profiles:
            chosen_tasks = task_ids()[:task_count]
            batches = pool.map(
                messages_of_task,
                chosen_tasks,
                repeat(seed),
                repeat(profile),
                chunksize=4,
            )
            for messages_of_one_task in batches:
                messages += messages_of_one_task
    return messages


# Printing ------------------------------------------------------------------------------------


def figures(name: str, messages: list[MeasuredMessage]) -> str:
    """Return one line of figures over messages: `embedded prod  50 trials: recall 99.0% ...`."""
    count = len(messages)
    recall = sum(message.recall for message in messages) / count
    record_recall = sum(message.record_recall for message in messages) / count
    complete = len([message for message in messages if not message.missing]) / count

    chosen_chars = needed_chars = useful_chars = 0
    for message in messages:
        chosen_chars += sum(message.chosen_chars.values())
        needed_chars += message.chosen_chars_of(message.needed)
        useful_chars += message.chosen_chars_of(message.needed | message.citable)
    precision = needed_chars / max(chosen_chars, 1)
    useful = useful_chars / max(chosen_chars, 1)

    foreign = sum(len(message.foreign) for message in messages)
    chars = [message.chars for message in messages]
    return (
        f"{name:32} {count:4} trials: recall {recall:6.1%} (records {record_recall:6.1%}) "
        f"complete {complete:6.1%}; precision {precision:6.1%} useful {useful:6.1%}; "
        f"foreign {foreign}; "
        f"characters {sum(chars) // count:,} on average, at most {max(chars):,}"
    )


def print_figures(messages: list[MeasuredMessage], *, by_family: bool) -> None:
    """Print a line for each platform, for each profile on it, and perhaps for each family."""
    groups = defaultdict[str, list[MeasuredMessage]](list)
    for message in messages:
        groups[f"{message.platform} {message.profile}"].append(message)
        groups[f"{message.platform}, all"].append(message)
        if by_family:
            groups[f"{message.platform} {message.family}"].append(message)
    for name in sorted(groups):
        print(figures(name, groups[name]))


def print_missing_folders(messages: list[MeasuredMessage]) -> None:
    """Print the folders of the needed files that are not shown, the most frequent first."""
    count_by_folder = Counter[str]()
    for message in messages:
        for path in message.missing:
            folder = path.rpartition("/")[0] + "/"
            count_by_folder[folder] += 1
    print("folders of what is missing:", count_by_folder.most_common(12))


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

    profiles = options.profiles.split(",")
    messages = messages_of_tasks(options.tasks, options.seed, profiles)
    if options.missing:
        for message in messages:
            if message.missing or message.foreign:
                name = f"{message.platform} {message.profile} {message.task_id}"
                print(name, *message.missing, *message.foreign)
    print_figures(messages, by_family=options.families)
    print_missing_folders(messages)


if __name__ == "__main__":
    main()
