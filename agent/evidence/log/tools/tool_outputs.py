"""Adds the outputs of tools to the evidence, each as a text at the path of its tool.

After `exec("/bin/date")` has printed `12 May`, an answer may cite `/bin/date` for this date. But a
script could run `/bin/echo 7`, and cite the 7. So an output that the script may have chosen counts as
its own text, which proves nothing:

| run | its output |
|---|---|
| `/bin/dat`, which failed and is not declared | is not added: there may be no such tool |
| another one that failed | is added, as the script's own |
| `/bin/echo 7`, or any other with arguments or stdin | is added, as the script's own |
| a tool that the trial wrote | is added, as the script's own |
| `/bin/date` | is added as proof |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.evidence.log.tools.tool_run import ToolRun
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.echoes import echoable_words
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind
from controlplane.sandbox.interface import Executable


@dataclass(frozen=True, slots=True)
class ToolOutputs:
    """Adds the outputs of tools in one trial."""

    declared_tools: Sequence[Executable]
    """The tools that the environment declares."""
    known_paths: KnownPaths
    """Knows which tools the trial wrote."""
    texts: PathTexts
    """Gets the outputs."""

    def add(self, run: ToolRun) -> None:
        """Add the output of a run at the path of its tool."""
        if run.has_failed and not self._is_declared(run.path):
            return
        seen = SeenText(
            run.output,
            self._kind_of_output(run),
            # Words of the arguments, which the output may only repeat.
            unproven_words=echoable_words(run.call.arguments),
            lines=(),  # The text has no line numbers of a file.
        )
        self.texts.add_returned_text(run.path, "execute", seen)

    def _is_declared(self, path: str) -> bool:
        """Return True if the environment declares a tool with this path."""
        return any(tool.path == path for tool in self.declared_tools)

    def _kind_of_output(self, run: ToolRun) -> TextKind:
        """Return `OWN` if the script may have chosen what the tool prints."""
        has_arguments = bool(run.call.arguments.inputs)
        if run.has_failed or has_arguments or self.known_paths.is_own(run.path):
            return TextKind.OWN
        return TextKind.WHOLE
