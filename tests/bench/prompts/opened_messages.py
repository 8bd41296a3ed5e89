"""First messages of tasks of the embedded shop, with what is measured of them.

The message of `basket-checkout.1`, on the platform "remote", shows 4 files. 3 are rules, which stand
in every message. The fourth, a basket, was chosen for the task:

    MeasuredMessage("basket-checkout.1", platform="remote", chosen_chars={"/proc/...": 412}, ...)

A *platform* is where the tasks are played: the embedded shop, or a remote server with other tools.
"""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import chain, repeat
from typing import Final

from controlplane.benchmarks.ecom.tasks.generated_tasks import task_ids
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.names import PLAYED
from tests.bench.prompts.foreign_records import foreign_records
from tests.bench.prompts.measured_messages import MeasuredMessage, family_of
from tests.bench.prompts.needed_files import file_of, needed_files
from tests.bench.prompts.shown_files import (
    PLATFORMS,
    environment_on,
    rule_files,
    shown_files,
)
from tests.benchmarks.ecom.variants import task_in_run
from tests.support.first_messages import first_message_of

PROCESSES: Final = 2


def messages_of_tasks(
    task_count: int, seed: int, profiles: list[str]
) -> list[MeasuredMessage]:
    """Return the first messages of the first tasks, in shops of each profile: "prod", "hard"."""
    messages: list[MeasuredMessage] = []
    tasks = task_ids()[:task_count]
    with ProcessPoolExecutor(PROCESSES) as pool:
        for profile in profiles:
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
    task_id: str, task: Task, profile: str, platform: str
) -> MeasuredMessage:
    """Return the first message of a task with the tools of a platform, and what it should show."""
    environment = environment_on(platform, task)
    message = "".join(first_message_of(task.instruction, environment).first_message)
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
    )
