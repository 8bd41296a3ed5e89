"""Writes the system prompt: how the model replies, and which calls its scripts can make.

The text is a template with holes such as `{{harness}}`. The name is that of the object by
which scripts make calls (`harness.read(path)`); the hole takes the reference of these calls.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from controlplane.agent.events import CallRecord, ConversationOpened
from controlplane.agent.loop.prompts import (
    FOLDER,
    LoopSettings,
    Prompts,
    default_prompts,
    read_text,
)
from controlplane.agent.loop.trial_session import TrialContext
from controlplane.agent.opening.message import MessageRoom
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Operation,
    ToolSchema,
    bounds,
    signature,
)
from controlplane.sandbox.interface.outcomes import INTERNAL, Outcomes

# Writes the reference of the calls that a script can make, for the system prompt.
#
# Each call has a line. Calls come from three places, as their names show, and each group has lines in
# a format of its own:
#
#     - list(path='/') -> .entries [.name .path .is_dir]: what a folder holds    `list`, of the environment
#     - harness.wiki.search(query): finds pages by words          `wiki.search`, a tool of an MCP server
#     - due_date(loan): the day on which a loan ends              `due_date`, which the benchmark computes

# The next texts are for the model.

_CALL_PATH: Final = "call_path"
"""The result field with the path under which a result that is not a file can be cited, such
as `/count/1`."""
_CALL_PATH_NOTE: Final = "\nA result's .call_path counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
_SERVERS_TITLE: Final = (
    "\nTools of servers. Each returns .text, .data (parsed, if it is structured; its keys are attributes too) and\n"
    ".call_path, which counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
)
_MAX_FURTHER_TOOLS: Final = 40
"""Max tools beside the first one of each server, if each tool has a line. A line for each server is
needed anyway, so many servers with one tool each are not too much."""
_FUNCTIONS_TITLE: Final = (
    "\n`harness.tools.NAME` gives .value, .notes (doubts); its reads count:"
)
"""The notes are doubts about the value. "Its reads count" tells the
model that its answer may cite the files that the function has read."""
_FUNCTION_EXAMPLE: Final = (
    "r = harness.tools.{}; print(r.value, r.notes); scratchpad.cite_all(r)"
)
"""For a call such as `due_date("l-7")`."""


def _operation_lines(
    operations: Sequence[Operation], *, is_cited: bool
) -> Iterator[str]:
    """Yield a line for each operation, with a title before each group except the first.

    `is_cited` is true if answers cite their sources. If they don't, the lines leave out the
    result field `call_path`, the path by which a result is cited.
    """
    own: list[Operation] = []
    tools_by_server: dict[str, list[Operation]] = {}
    functions: list[Operation] = []
    for operation in operations:
        server, dot, _ = operation.name.partition(".")
        if operation.is_later:
            continue  # The environment offers it only later.
        if dot:
            tools_by_server.setdefault(server, []).append(operation)
        elif operation.is_function:
            functions.append(operation)
        else:
            own.append(operation)

    # 1. What the environment does itself
    names: set[str] = set()
    for operation in own:
        yield _operation_line(operation, is_cited=is_cited)
        names.update(field.name for field in operation.fields)
    if is_cited and _CALL_PATH in names:
        yield _CALL_PATH_NOTE

    # 2. The tools of servers. If there are few, each has a line, or else each server:
    #    - `harness.wiki`, described by `.help(tool)`, found by `.help(words)`: search get
    if tools_by_server:
        yield _SERVERS_TITLE
    all_tools = [tool for tools in tools_by_server.values() for tool in tools]
    if len(all_tools) - len(tools_by_server) <= _MAX_FURTHER_TOOLS:
        for tool in all_tools:
            yield f"- {tool_line(tool)}"
    else:
        max_chars = bounds.SHOWN_NAMES_CHARS // len(tools_by_server)
        for server, tools in tools_by_server.items():
            listed = " ".join(tool.name.partition(".")[2] for tool in tools)
            if len(listed) > max_chars:  # It is cut after a name.
                listed = f"{listed[:max_chars].rpartition(' ')[0]} ... and more"
            yield (
                f"- `harness.{server}`, described by `.help(tool)`, "
                f"found by `.help(words)`: {listed}"
            )

    # 3. The functions of the benchmark. The title says how their calls begin, so the lines don't.
    if functions:
        yield _FUNCTIONS_TITLE
        # The first declared example, or else a call of the first function
        examples = [function.example for function in functions if function.example]
        examples.append(f"{functions[0].name}(...)")
        yield _FUNCTION_EXAMPLE.format(examples[0])
    for function in functions:
        call = signature(function).removeprefix("harness.tools.")
        yield f"- {call}: {function.summary}"


def _operation_line(operation: Operation, *, is_cited: bool) -> str:
    """Return the line about an operation, with its result's attributes and its parameters.

    - find(name) -> .paths: files by their names (name: a pattern such as *.md)
    - read(path) -> .content .json(): the text of a file
    """
    attributes: list[str] = []
    for field in operation.fields:
        # The path, which the script has passed to the call, is not repeated.
        if field.name == operation.subject:
            continue
        if field.name == _CALL_PATH and not is_cited:
            continue
        attributes.append(f".{field.name}")
        # A tree prints as a drawing, so scripts need not read the fields of its items.
        if field.items and not operation.drawn_as_tree:
            items = " ".join(f".{item}" for item in field.items)
            attributes.append(f"[{items}]")
    if operation.json_field:
        attributes.append(".json()")  # It parses the text in this field.
    descriptions: list[str] = []
    for parameter in operation.parameters:
        if parameter.description:
            descriptions.append(f"{parameter.name}: {parameter.description}")

    line = f"- {signature(operation).removeprefix('harness.')}"
    if attributes:
        line += f" -> {' '.join(attributes)}"
    line += f": {operation.summary}"
    if descriptions:
        line += f" ({'; '.join(descriptions)})"
    return line


def tool_line(operation: Operation) -> str:
    """Return the line about a server's tool: its call with types, and its summary."""
    return f"{signature(operation)}: {operation.summary}"


def _executable_lines(tool_schema: ToolSchema) -> Iterator[str]:
    """Yield a line for each kind of executable, a program that scripts can run.

    `- reads: /bin/date tells the time; /bin/loans`
    """
    texts_by_kind: dict[str, list[str]] = {}
    for executable in tool_schema.executables:
        text = f"{executable.path} {executable.summary}".rstrip()
        texts_by_kind.setdefault(str(executable.kind), []).append(text)
    for kind, texts in texts_by_kind.items():
        yield f"- {kind}: {'; '.join(texts)}"


# Writes the text about scripts for a program that takes the place of the model.
#
# Such a program, for example a coding agent of the user, gets no system prompt. It is served a tool
# that runs a script, and this text describes the tool.


def served_text(tool_schema: ToolSchema) -> str:
    """Return the text, with the calls and programs of an environment.

    It speaks of citations (`is_cited`) even if the answers in this environment cite nothing.
    """
    lines = list(_operation_lines(tool_schema.operations, is_cited=True))
    lines += _executable_lines(tool_schema)
    # A user's prompts do not replace this text, so it is read directly.
    return read_text(FOLDER / "served.md").replace("{{harness}}", "\n".join(lines))


# The script of the example reply in the system prompt.
#
# It answers an invented question about invented files, and shows all that a script may do: it reads
# files, cites them, and submits an answer with its `verify`.

QUESTION: Final = "How many parcels are late? Answer with [LATE:%d]."

_SCRIPT_START: Final = """\
late = []
for path in harness.find("*.json", root="/parcels", limit=0).paths:
    parcel = harness.read(path).json()
    if parcel["status"] == "late":
        late.append(parcel["id"])
"""
"""Reads the records of a folder."""
_CITATION: Final = """\
        scratchpad.cite(path, f"{parcel['id']} is late")
"""
"""Cites each record, inside of the loop. Left out if an environment has no citations."""
_SCRIPT_END: Final = """\
answer = "[LATE:%d]" % len(late)
scratchpad["answer"] = answer
scratchpad["outcome"] = "{{done}}"
def verify(sp):
    return sp["answer"] == answer
harness.answer(scratchpad, verify)"""
"""Computes the answer and submits it. `verify` is the script's own check of what it
submits. A real one may compute the answer in a second way; this is the shortest form."""


# The example reply in the system prompt, whose form small models copy.
#
# It answers an invented question by a script, in JSON or in a fence:
#
#     {"state": "the parcels decide", "plan": [], "done": true, "code": "late = []\nfor ..."}
#
# A script that cannot read files prints `harness`, the object with all calls.

_JSON_FORM: Final = (
    "Reply with one JSON object alone: `state` (one line), `plan` (up to five steps), `done` and "
    "`code` (Python, run at once)."
)
_FENCED_FORM: Final = "Reply with a line `state: ...` and one whole script in a ```python fence, which is run at once."
"""For models that fail to escape quotation marks and newlines in JSON strings."""


def _example_reply(tool_schema: ToolSchema, *, in_fences: bool = False) -> str:
    """Return a complete example reply, with the question that it answers.

    All trials of an environment get the same, so that an endpoint can cache the system prompt.
    """
    # An environment may have operations of its own with these names, which take other arguments.
    operations = [tool_schema.operation(name) for name in ("read", "find")]
    if all(operation in FILE_OPERATIONS for operation in operations):
        title = f'For "{QUESTION}" a whole reply is:'
        state = "the parcels decide"
        plan: list[str] = []
        citation = _CITATION if tool_schema.is_cited else ""
        script_end = _SCRIPT_END.replace("{{done}}", tool_schema.outcomes.done)
        code = _SCRIPT_START + citation + script_end
    else:
        title = "The first reply may be:"
        state = "nothing is known yet"
        plan = ["look at what can be called", "answer"]
        code = "print(harness)"
    if in_fences:
        return f"{title}\n\nstate: {state}\n```python\n{code}\n```"
    action = {"state": state, "plan": plan, "done": not plan, "code": code}
    return f"{title}\n\n{json.dumps(action)}"


# Notices for the user about the first messages of a run.
#
# The user sees the progress of a run, but not its messages. If these have less than usual, a
# line says why.


def shortened_notice(opened: ConversationOpened) -> str:
    """Return the notice that a first message was shortened; empty if it was not."""
    context_tokens = opened.shortened_for  # 0 if it was not shortened
    if not context_tokens:
        return ""
    return (
        f"the model's context of {context_tokens:,} tokens has no room for all files that fit: "
        "first messages show fewer"
    )


def failed_searches_notice(calls: Iterable[CallRecord]) -> str:
    """Return the notice that all searches of the initial calls failed; else empty.

    Without any search, it is empty, too. Trials with the same error codes get the same
    notice, so the run can show it once.
    """
    errors = [call.error for call in calls if call.operation == "search"]
    codes = {error.code for error in errors if error is not None}
    if (
        not codes or None in errors
    ):  # At least one search has worked, or there was none.
        return ""
    return (
        f"the environment refuses every search of the initial prompt ({', '.join(sorted(codes))}): "
        "records are shown only if a request names their files"
    )


# The outcomes that the environment's benchmark declares, for the system prompt.
#
#     `OUTCOME_OK`: answered, or done. `OUTCOME_REFUSED`: the rules forbid it. ...

_DONE_SENTENCE: Final = "answered, or done"
"""The meaning of an outcome of the kind `done` that declares no sentence."""
_LINE_CHARS: Final = 126


def _outcome_sentences(outcomes: Outcomes) -> str:
    """Return all outcomes with their meanings, in lines as long as those of the prompt."""
    parts = [
        f"`{outcome.name}`: {outcome.sentence or _DONE_SENTENCE}."
        for outcome in outcomes
    ]
    parts.append(f"`{INTERNAL}`: tools failed.")
    return textwrap.fill(
        " ".join(parts),
        _LINE_CHARS,
        break_long_words=False,
        break_on_hyphens=False,
    )


def system_prompt(
    tool_schema: ToolSchema, prompts: Prompts | None = None, *, in_fences: bool = False
) -> str:
    """Return the system prompt for an environment. All its trials have the same.

    `prompts` default to the product's own. `in_fences` asks for scripts in ```python
    fences instead of JSON.
    """
    prompts = prompts or default_prompts()
    calls = _operation_lines(tool_schema.operations, is_cited=tool_schema.is_cited)
    executables = _executable_lines(tool_schema)
    prompt_name = "system" if tool_schema.is_cited else "uncited"
    text = prompts.filled(
        prompt_name,
        form=_FENCED_FORM if in_fences else _JSON_FORM,
        example=_example_reply(tool_schema, in_fences=in_fences),
        harness="\n".join(calls),
        executables="\n".join(executables) or "(none declared)",
        done=tool_schema.outcomes.done,
        outcomes=_outcome_sentences(tool_schema.outcomes),
    )
    return prompts.with_hints(text)


def room_beside(
    system_prompt: str, trial: TrialContext, settings: LoopSettings
) -> MessageRoom:
    """Return the room for a first message beside the system prompt and the instruction."""
    return MessageRoom(
        settings.initial_prompt_chars,
        trial.limits.context_tokens or trial.context_tokens,
        len(system_prompt) + len(trial.instruction),
    )
