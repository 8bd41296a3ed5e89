"""First messages of tasks of the embedded shop, which are opened as a run opens them.

Each task is opened with the tools of two platforms: those of the embedded shop, and those of the
remote platform, whose first message has more room.
"""

import re
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
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
from tests.bench.prompts.measured_messages import PLATFORMS, MeasuredMessage, family_of
from tests.bench.prompts.needed_files import file_of, foreign_records, needed_files
from tests.support.single_trial import first_message_of

PROCESSES: Final = 2
FILE_SECTION: Final = re.compile(
    r'<section title="read ([^"]+?)(?: \([^")]*\))?">\n(.*?)\n</section>', re.DOTALL
)
"""Finds a shown file with its path and text: `<section title="read /docs/a.md (part)">`."""


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
