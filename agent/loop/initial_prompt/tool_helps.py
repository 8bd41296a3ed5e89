"""Chooses the tools whose help texts the first message shows.

A help text, such as the output of `/bin/renew --help`, says how to call a tool. If an
environment has few tools, all help texts are shown. If it has many, only those of tools that
the request, the workspace's rules or the best document name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.initial_calls.call_kind import CallKind
from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.declared_calls import declared_calls
from controlplane.agent.initial_calls.sent_call import SentCall
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.text_words import beginning_of, words_of
from controlplane.sandbox.interface import ToolSchema

MAX_FULL_HELPS: Final = 3
"""If more tools than this have a help text, only tools that fit the request show it."""


@dataclass(frozen=True, slots=True)
class ToolHelps:
    """Asks the tools of an environment for their help texts, as by `/bin/renew --help`.

    The first message shows these texts. If an environment has many tools, only those are asked
    that the request, the workspace's rules or the best document name.
    """

    draft: MessageDraft
    """Sends the calls, and knows the request and the rules."""

    def send(self, document_text: str, *, to_all: bool) -> list[SentCall]:
        """Ask tools for their help texts, and return the calls. They may still run.

        `document_text` is that of the document that fits the request best. If there are many
        tools, only those that fit are asked, unless `to_all` is true.
        """
        calls = self.draft.calls
        help_calls = declared_help_calls(calls.tool_schema)  # `/bin/renew`: its call
        working_tools = self.draft.working_tool_schema.executables
        paths = [tool.path for tool in working_tools if tool.path in help_calls]
        if len(help_calls) > MAX_FULL_HELPS and not to_all:
            paths = self._fitting(paths, document_text)
        return [
            self.draft.send(help_calls[path]) for path in paths[: calls.remaining_calls]
        ]

    def _fitting(self, paths: Iterable[str], document_text: str) -> list[str]:
        """Return those tools that the request, the rules or the best document name.

        Tools that other initial calls have run, such as `/bin/date`, are left out: the message
        shows these calls, so the model knows how to make them.
        """
        facts = self.draft.facts
        texts = f"{facts.instruction}\n{facts.rules}\n{document_text}"
        request_words = {beginning_of(word) for word in words_of(facts.instruction)}
        shown_paths = tools_run_for_output(self.draft.calls.tool_schema)
        fitting: list[str] = []
        for path in paths:
            is_named = path in texts or word_of_tool(path) in request_words
            if is_named and path not in shown_paths:
                fitting.append(path)
        return fitting

    def is_needed(self, sent: SentCall, document_text: str) -> bool:
        """Return True if the result of a call for a tool's help is shown.

        It is not needed if the rules or the best document have an example of the tool in
        backticks: `` `/bin/renew --day 2031-05-02` ``. But a failed call is always shown,
        because the tool may be down.
        """
        if sent.has_failed():
            return True
        text = f"{self.draft.facts.rules}\n{document_text}"
        tool_path = sent.declared.subject
        has_example = f"`{tool_path} " in text
        return not has_example


def word_of_tool(path: str) -> str:
    """Return the beginning of the word by which a request may name a tool.

    The words "renewal" and "renewed" begin like the name of `/bin/renew`.
    """
    return beginning_of(base_name(path).casefold())


def declared_help_calls(tool_schema: ToolSchema) -> dict[str, DeclaredCall]:
    """Return the declared calls for help texts, by the tool's path."""
    calls = declared_calls(tool_schema)
    return {call.subject: call for call in calls if call.kind is CallKind.ASKS_FOR_HELP}


def tools_run_for_output(tool_schema: ToolSchema) -> set[str]:
    """Return the paths of the tools that other declared calls run, such as `/bin/date`."""
    calls = declared_calls(tool_schema)
    return {call.subject for call in calls if call.kind is not CallKind.ASKS_FOR_HELP}
