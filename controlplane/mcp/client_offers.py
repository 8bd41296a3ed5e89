"""What `controlplane mcp` offers its clients besides tools: a prompt that asks, the journals of their questions, and
objections in the words of their arguments.

A client on standard input and output sees the journals with this user's mark, of questions about the served folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_content import open_journal
from controlplane.journal.journal_file import newest_first

MOST_LISTED: Final = 20
MOST_BYTES: Final = 2_000_000
SCHEME: Final = "journal://"
JSON_LINES: Final = "application/x-ndjson"
STDIO: Final = "stdio"
ASKING: Final = """\
{question}

Answer this from the files alone: call `begin` with the question, look things up by `execute_script`, and submit the
answer by `submit_answer`, with a citation of each file that it rests on: path, reason, and its exact words as quote."""


_ARGUMENTS: Final = (
    ("take it back with `scratchpad.uncite(path)`", "leave it out of `citations`"),
    ("`scratchpad.cite(path, reason)` for each", "an object of `citations` for each"),
    ("or quote it: `scratchpad.cite(path, reason, quote)`", "or quote it in `citations[].quote`"),
    ("`scratchpad.cite(path, reason, quote)`", "`citations[].quote`"),
)
"""What gates say of a script's functions, and the arguments of a client."""


def in_client_words(result: str) -> str:
    """Return the objections to a submission alone, and with the names of the client's arguments."""
    objection = re.search(r"^(?:GateRejection|ValueError): (.*?)(?=^while handling:|^</error>)", result, re.M | re.S)
    if objection is None:
        return result
    text = objection[1].strip()
    for said, argument in _ARGUMENTS:
        text = text.replace(said, argument)
    return text


@dataclass(frozen=True, slots=True)
class OwnJournals:
    """The journals of one folder's questions."""

    folder: Path
    benchmark: str

    def listed(self, context: Any) -> list[tuple[Path, str]]:
        """Return the path and question of each of the newest journals, for a client on standard input and output."""
        return [*islice(self._own(), MOST_LISTED)] if session_of(context) == STDIO else []

    def _own(self) -> Iterator[tuple[Path, str]]:
        for path in newest_first(self.folder)[:200]:
            with suppress(ControlPlaneError), open_journal(path) as journal:
                trials = journal.summary.trials
                if trials and journal.setting("benchmark") == self.benchmark and journal.is_own:
                    yield path, next(iter(trials.values())).instruction

    def text_of(self, uri: str, context: Any) -> str:
        """Return the lines of the journal of a run. Raises `ValueError`."""
        path = next((path for path, _ in self.listed(context) if path.stem == uri.removeprefix(SCHEME)), None)
        if path is None:
            msg = f"uri: there is no journal {uri[:100]!r} of yours; `resources/list` names them"
            raise ValueError(msg)
        if path.stat().st_size > MOST_BYTES:
            msg = f"uri: the journal has more than {MOST_BYTES // 1_000_000} MB: read it as the file {path}"
            raise ValueError(msg)
        return path.read_text("utf-8", "replace")


def session_of(context: Any) -> str | None:
    """Return the name of a client's session: `stdio`, the protocol's id over HTTP, or None without one."""
    return STDIO if context.request is None else context.request.headers.get("mcp-session-id")


def offers(journals: OwnJournals) -> dict[str, Any]:
    """Return the handlers of prompts and resources, as a `Server` takes them."""
    import anyio.to_thread
    from mcp import MCPError, types

    argument = types.PromptArgument(name="question", description="what the files are to answer", required=True)
    prompt = types.Prompt(name="ask", description="Asks the files, for a cited answer", arguments=[argument])

    async def list_prompts(*_: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(_: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        question = (params.arguments or {}).get("question", "").strip()
        if params.name != prompt.name or not question:
            raise MCPError(types.INVALID_PARAMS, "there is one prompt, `ask`, which takes `question`")
        text = types.TextContent(text=ASKING.format(question=question))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

    async def list_resources(context: Any, _: Any) -> types.ListResourcesResult:
        listed = await anyio.to_thread.run_sync(journals.listed, context)
        resources = [
            types.Resource(uri=f"{SCHEME}{path.stem}", name=path.stem, title=text[:200], mime_type=JSON_LINES)
            for path, text in listed
        ]
        return types.ListResourcesResult(resources=resources)

    async def read_resource(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            text = await anyio.to_thread.run_sync(journals.text_of, uri, context)
        except (ValueError, OSError) as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        content = types.TextResourceContents(uri=uri, mime_type=JSON_LINES, text=text)
        return types.ReadResourceResult(contents=[content])

    return {
        "on_list_prompts": list_prompts,
        "on_get_prompt": get_prompt,
        "on_list_resources": list_resources,
        "on_read_resource": read_resource,
    }
