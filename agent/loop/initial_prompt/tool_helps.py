"""Chooses the tools whose help texts the first message shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.declared_calls import (
    DeclaredCall,
    SentCall,
    declared_calls,
)
from controlplane.agent.loop.initial_prompt.declared_results import DeclaredResults
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.text_words import beginning_of, words_of
from controlplane.sandbox.interface import ToolSchema

MAX_FULL_HELPS: Final = 3
"""If more tools than this have help, only tools that fit the request show it."""


@dataclass(frozen=True, slots=True)
class ToolHelps:
    """Asks the tools of an environment for their help texts."""

    results: DeclaredResults
    """Sends the calls, and knows the request and the rules."""

    def send(self, document: str, *, to_all: bool) -> list[SentCall]:
        """Ask the working tools for their help texts, and return the calls.

        If there are many tools, only those that fit the request are asked, unless
        `to_all` is true. `document` is the document that fits the request best.
        """
        calls = self.results.calls
        helps = help_calls(calls.tool_schema)
        working = self.results.working_tools.executables
        tools = [tool.path for tool in working if tool.path in helps]
        if len(helps) > MAX_FULL_HELPS and not to_all:
            run_tools = tools_run_anyway(calls.tool_schema)
            other_tools = [tool for tool in tools if tool not in run_tools]
            tools = self._named(other_tools, document)
        chosen = tools[: calls.remaining_calls]
        return [self.results.send(helps[tool]) for tool in chosen]

    def _named(self, tools: Iterable[str], document: str) -> list[str]:
        """Return the tools that the request, the rules or the best document name.

        A word of the request may begin like the tool's
        file: "renewal" also names `/bin/renew`.
        """
        facts = self.results.facts
        text = f"{facts.instruction}\n{facts.rules}\n{document}"
        words = {beginning_of(word) for word in words_of(facts.instruction)}
        named: list[str] = []
        for tool in tools:
            name = beginning_of(base_name(tool).casefold())
            if tool in text or name in words:
                named.append(tool)
        return named

    def is_needed(self, sent: SentCall, document: str) -> bool:
        """Return True if the result of a call for a tool's help is shown.

        It is not needed if the rules or the best document have an example of the tool in
        backticks: `` `tool --day 2031-05-02` ``. But a failed call is always shown, because
        the tool may be down.
        """
        tool = sent.declared
        has_failed = tool.has_failed(sent.result())
        text = f"{self.results.facts.rules}\n{document}"
        has_example = f"`{tool.subject} " in text
        return has_failed or not has_example


def help_calls(tool_schema: ToolSchema) -> dict[str, DeclaredCall]:
    """Return the declared calls for help texts, by tool."""
    calls = declared_calls(tool_schema)
    return {call.subject: call for call in calls if call.is_help}


def tools_run_anyway(tool_schema: ToolSchema) -> set[str]:
    """Return the tools that declared calls run, so that the first message shows their output.

    Their help texts are less needed.
    """
    calls = declared_calls(tool_schema)
    return {call.subject for call in calls if not call.is_help}
