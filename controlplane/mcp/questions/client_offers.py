"""The prompt and the resources that `controlplane mcp` offers to its clients.

The prompt asks a question. The resources are the journals of questions: a client lists
those of its own session, and can read any whose question id it knows.
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
ASK: Final = "ask"
"""The name of the prompt."""
ASK_TEXT: Final = """\
{question}

Answer this from the files alone: call `begin` with the question, look things up by `execute_script`, and submit the
answer by `submit_answer`, with a citation of each file that it rests on: path, reason, and its exact words as quote."""
SHOWN_TITLE_CHARS: Final = 200
MOST_JOURNAL_BYTES: Final = bounds.MOST_MCP_MESSAGE_BYTES // 2
"""The largest journal that can be read. A message holds it as a JSON string, with escapes."""


def offers(asked: AskedQuestions) -> dict[str, Any]:
    """Return the handlers of prompts and resources, as the SDK's server takes them."""
    handlers = _OfferHandlers(asked)
    return {
        "on_list_prompts": handlers.list_prompts,
        "on_get_prompt": handlers.get_prompt,
        "on_list_resources": handlers.list_resources,
        "on_read_resource": handlers.read_resource,
    }


class _OfferHandlers:
    """Answers a client's requests about prompts and resources."""

    def __init__(self, asked: AskedQuestions) -> None:
        self.asked = asked
        """The latest questions. The server adds new ones."""

    async def list_prompts(self, *_: Any) -> types.ListPromptsResult:
        """Return the only prompt, `ask`. It has one argument, `question`."""
        from mcp import types

        question = types.PromptArgument(
            name="question", description="what the files are to answer", required=True
        )
        prompt = types.Prompt(
            name=ASK,
            description="Asks the files, for a cited answer",
            arguments=[question],
        )
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(
        self, _: Any, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Return the text of the prompt `ask` with the client's question in it."""
        from mcp import MCPError, types

        question = (params.arguments or {}).get("question", "").strip()
        if params.name != ASK or not question:
            raise MCPError(
                types.INVALID_PARAMS,
                "there is one prompt, `ask`, which takes `question`",
            )
        text = types.TextContent(text=ASK_TEXT.format(question=question))
        message = types.PromptMessage(role="user", content=text)
        return types.GetPromptResult(messages=[message])

    async def list_resources(self, context: Any, _: Any) -> types.ListResourcesResult:
        """Return the journals of the questions of the client's session, with the newest first."""
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
