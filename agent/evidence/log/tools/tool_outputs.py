"""Adds the outputs of tools to the evidence, each as a text at the path of its tool.

After `exec("/bin/date")` has printed `12 May`, an answer may cite `/bin/date` for this date. But a
script could run `/bin/echo 7`, and cite the 7. So an output that the script may have chosen counts as
its own text, which proves nothing:

    /bin/date prints `12 May`   proof
    /bin/echo 7 prints `7`      the script's own, as for all arguments and input
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
            return  # There may be no such tool: the script may have misspelt its name.
        seen = SeenText(
            run.output,
            self._kind_of_output(run),
            # The words that the script passed, which the output may only repeat.
            unproven_words=echoable_words(run.call.arguments),
            lines=(),  # The text has no line numbers of a file.
        )
        self.texts.add_returned_text(run.path, "execute", seen)

    def _is_declared(self, path: str) -> bool:
        """Return True if the environment declares a tool with this path."""
        return any(tool.path == path for tool in self.declared_tools)

    def _kind_of_output(self, run: ToolRun) -> TextKind:
        """Return `OWN` if the script may have chosen what the tool prints."""
        has_input = bool(run.call.arguments.inputs)  # arguments, or a text as stdin
        is_tool_of_script = self.known_paths.is_own(run.path)
        if run.has_failed or has_input or is_tool_of_script:
            return TextKind.OWN
        return TextKind.WHOLE
