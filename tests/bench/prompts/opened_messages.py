"""First messages of tasks of the embedded shop, which are opened as a run opens them.

    <section title="read /docs/checkout.md">
    A basket is checked out if ...
    </section>

This is a part of such a message: a file that it shows. Some files, the rules, stand in every message.
Which others are shown is chosen for the task, so it is measured if they are those that the task needs.
"""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import repeat
from typing import Final

from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.settings import PLAYED
from tests.bench.prompts.foreign_records import foreign_records
from tests.bench.prompts.measured_messages import PLATFORMS, MeasuredMessage, family_of
from tests.bench.prompts.needed_files import file_of, needed_files
from tests.bench.prompts.shown_files import environment_on, rule_files, shown_files
from tests.benchmarks.ecom.variants import task_in_run
from tests.support.first_messages import first_message_of

PROCESSES: Final = 2


def messages_of_tasks(
    task_count: int, seed: int, profiles: list[str]
) -> list[MeasuredMessage]:
    """Return the first messages of the first tasks in each profile, made on several processes."""
    messages = []
    with ProcessPoolExecutor(PROCESSES) as pool:
        for profile in profiles:
            batches = pool.map(
                messages_of_task,
                task_ids()[:task_count],
                repeat(seed),
                repeat(profile),
                chunksize=4,
            )
            for messages_of_one_task in batches:
                messages += messages_of_one_task
    return messages


def messages_of_task(task_id: str, seed: int, profile: str) -> list[MeasuredMessage]:
    """Return the first messages of a task, one with the tools of each platform."""
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
