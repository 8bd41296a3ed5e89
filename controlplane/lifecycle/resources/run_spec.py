"""The description of a run's resources, from which any process can open them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from controlplane.agent.loop import Prompts
from controlplane.agent.model import Capabilities
from controlplane.benchmark import OpenedBenchmark
from controlplane.configuration.run_settings import RunSettings
from controlplane.solver import SOLVERS, SolverSpec

if TYPE_CHECKING:
    from controlplane.mcp.tool_access import ToolAccess


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Describes the `RunResources` to open. It has no secrets, which come from the environment."""

    settings: RunSettings
    rule_sets: tuple[str, ...] | None = None
    """The names of the rule sets. None: take them from
    the settings or, failing that, the benchmark."""
    script: str | None = None
    """The text of FILE if the model is `scripted:FILE`. None: read the file."""
    prompts: Prompts | None = None
    """The prompt texts. None: read the files that the settings name."""
    capabilities: tuple[Capabilities, ...] = ()
    """What an earlier process of the run has learned about endpoints,
    such as a parameter that one refuses."""
    tools: ToolAccess | None = None
    """The MCP servers that the user named for this process; never taken from a journal."""
    approve: Callable[[str], bool] | None = None
    """Asks the user whether to make a call that `--provenance
    approve` has stopped. None: there is no user to ask."""
    opened: OpenedBenchmark | None = None
    """A benchmark that is already open. None: open the one that the settings name."""
    solver: SolverSpec | None = None
    """A solver given as an object. None: use the one that the settings name."""

    @property
    def makes_initial_prompt(self) -> bool:
        """True if each new trial begins with calls that read texts for the first message."""
        settings = self.settings
        return settings.agent in SOLVERS and settings.initial_prompt_chars > 0

    @property
    def may_ask_user(self) -> bool:
        """True if trials ask the user to approve calls."""
        if "approve" in self.settings.provenance:
            return True
        return self.tools is not None and self.tools.approve is not None

    def with_seed(self, seed: int | None) -> RunSpec:
        """Return the same description with another seed."""
        settings = self.settings.model_copy(update={"seed": seed})
        return replace(self, settings=settings)
