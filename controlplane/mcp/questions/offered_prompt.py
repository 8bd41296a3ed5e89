"""The prompt `ask` of `controlplane mcp`, by which a user asks the files a question.

A client of the protocol lists prompts, for example as commands that its user can type. `ask` takes
a question, and returns the text that makes the client's model answer it by this server's tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mcp import types

ASK: Final = "ask"
"""The name of the prompt."""
ASK_TEXT: Final = """\
{question}

Answer this from the files alone: call `begin` with the question, look things up by `execute_script`, and submit the
answer by `submit_answer`, with a citation of each file that it rests on: path, reason, and its exact words as quote."""


def prompt_handlers() -> dict[str, Any]:
    """Return the handlers of requests about prompts, as the SDK's server takes them."""
    return {"on_list_prompts": _list_prompts, "on_get_prompt": _get_prompt}


async def _list_prompts(*_: Any) -> types.ListPromptsResult:
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


async def _get_prompt(
    _: Any, params: types.GetPromptRequestParams
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
