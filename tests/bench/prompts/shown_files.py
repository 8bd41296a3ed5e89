"""Files that the first message of a task shows, and those that every first message shows, the rules.

    <section title="read /docs/checkout.md">
    A basket is checked out if ...
    </section>

`shown_files` returns the text in each such section of a message, by the path of the file:
`{"/docs/checkout.md": "A basket is checked out if ..."}`.
"""

import re
from dataclasses import replace
from typing import Final

from controlplane.benchmarks.bitgn.client.remote_benchmark import TOOL_SCHEMA as REMOTE
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of

PLATFORMS: Final = ("embedded", "remote")
"""Where the shop is: generated in this process, or on a remote server. The two have different tools,
and limits for the length of a first message."""


def environment_on(platform: str, task: Task) -> EcomEnvironment:
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


def rule_files(task: Task) -> set[object]:
    """Return the paths of the rules: the files that the initial calls of some platform read.

    Initial calls are made for every task, such as `read(path="/AGENTS.MD")` and `context()`.
    """
    paths: set[object] = set()
    for platform in PLATFORMS:
        for call in environment_on(platform, task).tool_schema.initial_calls:
            if "path" in call.arguments:
                paths.add(call.arguments["path"])
    return paths
