"""The help texts of tools in the first message, such as the output of `/bin/renew --help`.

A help text says how to call a tool, so that the model need not ask for it. Two decisions are made
about a tool: whether it is asked for its help, and then, whether the text is shown. With many tools,
and the request "Renew my loan l-7",

    /bin/renew   is asked, as the request names it, and shown unless the rules have an example of it
    /bin/print   is not asked
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.initial_calls.sent_call import SentCall
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.loop.initial_prompt.named_tools import named_tools

MAX_UNNAMED_TOOLS: Final = 3
"""If more tools than this have a help text, a tool is asked for it only if the request, the
workspace's rules or the best document name the tool."""


def send_help_calls(
    draft: MessageDraft, document_text: str, *, to_all: bool
) -> list[SentCall]:
    """Ask tools for their help texts, and return the calls. They may still run.

    `document_text` is the text of the document that fits the request best. With `to_all`, all
    tools are asked, even if there are many.
    """
    # The declared calls for help, by the path of the tool that they are about: `/bin/renew`
    help_calls = {declared.subject: declared for declared in draft.batches.helps}
    # The model is not told of a tool that has failed its test.
    working_tools = [tool.path for tool in draft.working_tool_schema.executables]
    paths = [path for path in working_tools if path in help_calls]
    if len(help_calls) > MAX_UNNAMED_TOOLS and not to_all:
        paths = named_tools(paths, draft.facts, document_text, draft.calls.tool_schema)
    # The initial calls of a trial are limited in number.
    paths = paths[: draft.calls.remaining_calls]
    return [draft.send(help_calls[path]) for path in paths]


def is_help_needed(draft: MessageDraft, sent: SentCall, document_text: str) -> bool:
    """Return True if the result of a call for a tool's help is shown.

    It is not needed if the rules or the best document have an example of the tool in
    backticks: `` `/bin/renew --day 2031-05-02` ``.
    """
    if sent.has_failed():
        return True  # The model must know that the tool may be down.
    text = f"{draft.facts.rules}\n{document_text}"
    tool_path = sent.declared.subject
    has_example = f"`{tool_path} " in text
    return not has_example
