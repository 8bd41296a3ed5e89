"""Files that the first message of a task shows, and those that every first message shows: the rules.

    <section title="read /docs/checkout.md">
    A basket is checked out if ...
    </section>

`shown_files` finds such parts of a message: `{"/docs/checkout.md": "A basket is ..."}`.
"""

import re
from dataclasses import replace

from controlplane.benchmarks.bitgn.remote_runtime import TOOL_SCHEMA as REMOTE
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.bench.prompts.measured_messages import PLATFORMS


def environment_on(platform: str, task: Task) -> EcomEnvironment:
    """Return the embedded environment of a task, which can stand for the remote platform.

    The first message has more room there.
    """
    environment = EcomEnvironment(workspace_of(task.world))
    if platform == "remote":
        # Unlike the remote platform, it takes one call at a time.
        environment.tool_schema = replace(REMOTE, reads_side_by_side=False)
    return environment


def shown_files(message: str) -> dict[str, str]:
    """Return the texts of the files that a message shows, by path.

    A title may say which part is shown: `<section title="read /docs/a.md (lines 1 to 7)">`.
    """
    section = r'<section title="read ([^"]+?)(?: \([^")]*\))?">\n(.*?)\n</section>'
    return dict(re.findall(section, message, re.DOTALL))


def rule_files(task: Task) -> set[object]:
    """Return the paths of the files that every first message on one of the platforms shows."""
    paths = set()
    for platform in PLATFORMS:
        for call in environment_on(platform, task).tool_schema.initial_calls:
            paths.add(call.arguments.get("path"))
    return paths
