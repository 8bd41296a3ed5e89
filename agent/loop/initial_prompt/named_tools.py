"""Finds the tools of an environment that a request may need: those that a text names.

The texts are the request, the workspace's rules and the document that fits best. They name a tool
by its path, or the request has a word that begins like its name:

    "run `/bin/renew --day ...`" in a document   -> /bin/renew
    "I want a renewal" in the request            -> /bin/renew
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.initial_calls.call_kind import CallKind
from controlplane.agent.initial_calls.declared_calls import single_calls
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.text_words import beginning_of, words_of
from controlplane.sandbox.interface import ToolSchema


def named_tools(
    paths: Iterable[str],
    facts: RequestFacts,
    document_text: str,
    tool_schema: ToolSchema,
) -> list[str]:
    """Return those of the tools at `paths` that the request, the rules or the document name."""
    texts = f"{facts.instruction}\n{facts.rules}\n{document_text}"
    request_words = {beginning_of(word) for word in words_of(facts.instruction)}
    # The message shows these calls, so the model knows how to make them.
    shown_paths = tools_run_for_output(tool_schema)
    named: list[str] = []
    for path in paths:
        name = base_name(path).casefold()
        is_named = path in texts or beginning_of(name) in request_words
        if is_named and path not in shown_paths:
            named.append(path)
    return named


def tools_run_for_output(tool_schema: ToolSchema) -> set[str]:
    """Return the paths of the tools that declared calls run for their output: `/bin/date`."""
    calls = single_calls(tool_schema)
    return {call.subject for call in calls if call.kind is not CallKind.ASKS_FOR_HELP}
