"""A run of the benchmark `lending`, and what its journal has of its only trial."""

import re
from typing import NamedTuple

from controlplane.agent.events import ConversationOpened, StepDone
from tests.documentation.pages import BENCHMARKS_PAGE
from tests.support.command import CommandResult


def lending_command() -> list[str]:
    """Return the words behind `controlplane` that run the benchmark `lending` on the page.

    `["run", "--benchmark", "lending", …]`
    """
    (command,) = re.findall(
        r"^controlplane (run --benchmark lending .*)$", BENCHMARKS_PAGE, re.MULTILINE
    )
    return str(command).split()


class LendingRun(NamedTuple):
    """A run of the benchmark `lending`, and what the journal has of its only trial."""

    result: CommandResult
    initial_prompt: ConversationOpened | None
    steps: tuple[StepDone, ...]
