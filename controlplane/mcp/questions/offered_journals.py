"""The journals of questions, as resources that clients of `controlplane mcp` can read.

A client lists the journals of its own session. It can read any whose question id it knows, by an
address such as `journal://3f0c…`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from controlplane.mcp.questions.asked_questions import AskedQuestions
from controlplane.mcp.serving.client_call import session_of
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from mcp import types

SCHEME: Final = "journal://"
JSON_LINES: Final = "application/x-ndjson"
SHOWN_TITLE_CHARS: Final = 200
MOST_JOURNAL_BYTES: Final = bounds.MOST_MCP_MESSAGE_BYTES // 2
"""The largest journal that can be read. A message holds it as a JSON string, with escapes."""


def journal_handlers(asked: AskedQuestions) -> dict[str, Any]:
    """Return the handlers of requests about resources, as the SDK's server takes them."""
    journals = _OfferedJournals(asked)
    return {
        "on_list_resources": journals.list_resources,
        "on_read_resource": journals.read_resource,
    }


class _OfferedJournals:
    """Answers a client's requests about the journals of questions."""

    def __init__(self, asked: AskedQuestions) -> None:
        self.asked = asked
        """The latest questions. The server adds new ones."""

    async def list_resources(self, context: Any, _: Any) -> types.ListResourcesResult:
        """Return the journals of the questions of the client's session, with the newest first.

        Only their addresses and titles are returned; `read_resource` returns a journal's text.
        """
        from mcp import types

        resources = []
        for question in self.asked.of_session(session_of(context.request)):
            resource = types.Resource(
                uri=f"{SCHEME}{question.question_id}",
                name=question.question_id,
                title=question.text[:SHOWN_TITLE_CHARS],
                mime_type=JSON_LINES,
            )
            resources.append(resource)
        return types.ListResourcesResult(resources=resources)

    async def read_resource(
        self, _: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Return the journal whose address, such as `journal://3f…`, the client sends."""
        import anyio.to_thread
        from mcp import MCPError, types

        uri = str(params.uri)
        question = self.asked.find(uri.removeprefix(SCHEME))
        if question is None:
            msg = f"uri: no question of yours has the journal {uri[:100]!r}"
            raise MCPError(types.INVALID_PARAMS, msg)
        path = question.journal
        if path.stat().st_size > MOST_JOURNAL_BYTES:
            megabytes = MOST_JOURNAL_BYTES // 1_000_000
            msg = f"uri: the journal has more than {megabytes} MB: read it as the file {path}"
            raise MCPError(types.INVALID_PARAMS, msg)
        text = await anyio.to_thread.run_sync(path.read_text, "utf-8", "replace")
        contents = types.TextResourceContents(uri=uri, mime_type=JSON_LINES, text=text)
        return types.ReadResourceResult(contents=[contents])
