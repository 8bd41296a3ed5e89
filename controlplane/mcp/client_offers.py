"""What `controlplane mcp` offers its clients besides tools: a prompt that asks, and the journals of their questions.

A client lists the journals of the questions that its session opened, and reads those whose question's id it knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final, NamedTuple

from controlplane.sandbox.interface import bounds

SCHEME: Final = "journal://"
JSON_LINES: Final = "application/x-ndjson"
ASKING: Final = """\
{question}

Answer this from the files alone: call `begin` with the question, look things up by `execute_script`, and submit the
answer by `submit_answer`, with a citation of each file that it rests on: path, reason, and its exact words as quote."""


def session_of(request: Any) -> str | None:
    """Return the name of a client's session: `stdio`, the protocol's id over HTTP, or None without one."""
    return "stdio" if request is None else request.headers.get("mcp-session-id")


class AskedQuestion(NamedTuple):
    """A question that a client opened, and its run."""

    session: str | None
    text: str
    journal: Path
    run: Future[None]


def offers(asked: Mapping[str, AskedQuestion]) -> dict[str, Any]:
    """Return the handlers of prompts and resources, as a `Server` takes them."""
    import anyio.to_thread
    from mcp import MCPError, types

    argument = types.PromptArgument(
        name="question", description="what the files are to answer", required=True
    )
    prompt = types.Prompt(
        name="ask", description="Asks the files, for a cited answer", arguments=[argument]
    )

    async def list_prompts(*_: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(_: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        question = (params.arguments or {}).get("question", "").strip()
        if params.name != prompt.name or not question:
            raise MCPError(
                types.INVALID_PARAMS, "there is one prompt, `ask`, which takes `question`"
            )
        text = types.TextContent(text=ASKING.format(question=question))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

    async def list_resources(context: Any, _: Any) -> types.ListResourcesResult:
        session = session_of(context.request)
        own = [
            types.Resource(
                uri=f"{SCHEME}{key}", name=key, title=one.text[:200], mime_type=JSON_LINES
            )
            for key, one in reversed([*asked.items()])
            if session and one.session == session
        ]
        return types.ListResourcesResult(resources=own)

    async def read_resource(
        _: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        question = asked.get(uri.removeprefix(SCHEME))
        if question is None:
            raise MCPError(
                types.INVALID_PARAMS, f"uri: no question of yours has the journal {uri[:100]!r}"
            )
        path = question.journal
        most = bounds.MOST_MESSAGE_BYTES // 2  # its escapes need room
        if path.stat().st_size > most:
            large = (
                f"uri: the journal has more than {most // 1_000_000} MB: read it as the file {path}"
            )
            raise MCPError(types.INVALID_PARAMS, large)
        text = await anyio.to_thread.run_sync(path.read_text, "utf-8", "replace")
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=JSON_LINES, text=text)]
        )

    return {
        "on_list_prompts": list_prompts,
        "on_get_prompt": get_prompt,
        "on_list_resources": list_resources,
        "on_read_resource": read_resource,
    }
