"""The texts sent to a model, with holes that a trial fills; the system prompt and the first message made of them.

The product's own texts are in `prompts/`; the system prompt is derived from the environment's declaration.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import re2

from agent.events import ConversationOpened
from agent.evidence.recorder import Recorder
from agent.first_message import FirstMessage, without_marks
from agent.model import Frozen
from sandbox.interface import Operation, ToolSchema, signature

FOLDER: Final = Path(__file__).parents[2] / "prompts"
"""The folder beside this package; a folder `prompts` in the working directory is not used."""
HOLES: Final[Mapping[str, frozenset[str]]] = {
    "system": frozenset({"harness", "executables"}),
    "uncited": frozenset({"harness", "executables"}),
    "first_message": frozenset({"instruction"}),
    "warning": frozenset({"left"}),
    "nudge": frozenset({"left"}),
    "time": frozenset({"seconds"}),
    "context": frozenset({"tokens"}),
    "unusable": frozenset({"reason"}),
    "exoskeleton": frozenset({"calls", "executables"}),
    "reminder": frozenset(),
    "classify": frozenset({"fields"}),
    "classify_request": frozenset({"instruction"}),
    "check_draft": frozenset({"fields"}),
    "format": frozenset({"rules"}),
    "format_request": frozenset({"instruction", "message"}),
}
"""Every prompt, and the holes that its callers fill."""
NEEDED: Final = {
    "first_message": "instruction",
    "classify_request": "instruction",
    "format_request": "message",
}
"""Holes that a prompt must have, or the model would not learn what is asked."""
OLDER_NAMES: Final = {"first_message": "turn_one", "check_draft": "review"}
"""Names of prompts in folders that were made for an earlier version, by their present names."""
MOST_CHARS: Final = 32_000
"""Max characters of a prompt, and of hints: a longer file is probably a mistake."""
_HOLE: Final = re2.compile(r"\{\{(\w+)\}\}")


class PromptError(Exception):
    """A prompt text is missing, empty or too long, or has a hole that nothing fills."""


class Prompts(Frozen):
    """All prompt texts of a run, by name, and what its owner adds to the system prompt."""

    texts: dict[str, str]
    hints: str = ""
    """Ends the system prompt, unchanged."""

    def filled(self, name: str, **values: object) -> str:
        """Return the prompt `name` with its holes filled."""
        return str(_HOLE.sub(lambda hole: str(values.get(hole[1], hole[0])), self.texts[name]))

    def with_hints(self, system: str) -> str:
        """Return a system prompt with the owner's hints at its end."""
        return f"{system}\n{self.hints}" if self.hints else system

    @property
    def digest(self) -> str:
        """A hash of all texts, by which a journal identifies the texts of its run."""
        parts = [part for name in sorted(self.texts) for part in (name, self.texts[name])]
        return hashlib.sha256("\0".join((*parts, self.hints)).encode()).hexdigest()[:16]


@functools.cache
def default_prompts() -> Prompts:
    """Return the product's own texts. Raises `PromptError`."""
    return read_prompts()


def read_prompts(folder: Path = FOLDER) -> Prompts:
    """Return the texts of a folder. Raises `PromptError` naming the file, and the line where there is one."""
    if not folder.is_dir():
        msg = f"there is no folder {folder}"
        raise PromptError(msg)
    has_uncited = folder == FOLDER or (folder / "uncited.md").exists()  # Folders made before it was keep the product's.
    own = [name for name in HOLES if name != "uncited" or has_uncited]
    missing = [f"{name}.md" for name in own if not _file(folder, name).exists()]
    if missing:
        msg = f"{folder} has no {', '.join(missing)}; it replaces every prompt: copy those to be kept from {FOLDER}"
        raise PromptError(msg)
    texts = {name: read_text(_file(folder if name in own else FOLDER, name)) for name in HOLES}
    for name, text in texts.items():
        _check_holes(_file(folder, name), text, name)
    return Prompts(texts=texts)


def _file(folder: Path, name: str) -> Path:
    """Return the file of a prompt; a folder made for an earlier version has it under its earlier name."""
    older = folder / f"{OLDER_NAMES.get(name, name)}.md"
    return older if older.exists() else folder / f"{name}.md"


def read_text(path: Path) -> str:
    """Return the text of a prompt or of hints. Raises `PromptError`."""
    try:
        with path.open("rb") as file:
            content = file.read(4 * MOST_CHARS + 1)  # no character of UTF-8 has more than four bytes
        text = content.decode(errors="replace" if len(content) > 4 * MOST_CHARS else "strict")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        msg = f"{path}, line {line}: it is not UTF-8 text"
        raise PromptError(msg) from error
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise PromptError(msg) from error
    if len(text) > MOST_CHARS:
        msg = f"{path} is longer than {MOST_CHARS:,} characters, which every first request would carry; shorten it"
        raise PromptError(msg)
    if not text.strip():
        msg = f"{path} is empty"
        raise PromptError(msg)
    return text.replace("\r\n", "\n")


def _check_holes(path: Path, text: str, name: str) -> None:
    """Raise `PromptError` for a hole in `text` that nothing fills, and for a required hole that is missing."""
    names = ", ".join(sorted(HOLES[name]))
    for number, line in enumerate(text.splitlines(), start=1):
        for hole in _HOLE.finditer(line):
            if hole[1] not in HOLES[name]:
                msg = f"{path}, line {number}: it has the hole {hole[0]}, which nothing fills (known: {names})"
                raise PromptError(msg)
    needed = NEEDED.get(name)
    if needed and f"{{{{{needed}}}}}" not in text:
        msg = f"{path} lacks the hole {{{{{needed}}}}}, without which the model is not told what is asked"
        raise PromptError(msg)


FINDINGS: Final = "\n`harness.tools.NAME` gives .value, .notes (doubts); its reads count:"
EXAMPLE: Final = "r = harness.tools.{}; print(r.value, r.notes); scratchpad.cite_all(r)"
SERVER_TOOLS: Final = (
    "\nTools of servers. Each returns .text, .data (parsed, if it is structured; its keys are attributes too) and\n"
    ".call_path, which counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
)
RESULTS: Final = "\nA result's .call_path counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
MOST_NAMES_CHARS: Final = 6_000


def build_initial_prompt(
    instruction: str,
    recorder: Recorder,
    most_chars: int = 120_000,
    *,
    prompts: Prompts | None = None,
) -> ConversationOpened:
    """Make the initial calls and return the conversation's begin: the system prompt and the first message.

    It shows at most `most_chars` characters of documents and listings. `prompts` default to the product's own.
    """
    prompts = prompts or default_prompts()
    first = FirstMessage(recorder, instruction, most_chars).open()
    prompt = prompts.filled("first_message", instruction=without_marks(instruction))
    return first.conversation(system_prompt(first.offered, prompts), first.message(prompt))


def system_prompt(tool_schema: ToolSchema, prompts: Prompts | None = None) -> str:
    """Return the system prompt for an environment: the same for every trial of one declaration."""
    prompts = prompts or default_prompts()
    text = prompts.filled(
        "uncited" if tool_schema.citations == "none" else "system",
        harness="\n".join(
            _references(tool_schema.operations, ("call_path",) if tool_schema.citations == "none" else ())
        ),
        executables="\n".join(_executables(tool_schema)) or "(none declared)",
    )
    return prompts.with_hints(text)


def _executables(tool_schema: ToolSchema) -> Iterator[str]:
    """Yield a line for each kind of executable."""
    for kind in dict.fromkeys(executable.kind for executable in tool_schema.executables):
        same = [executable for executable in tool_schema.executables if executable.kind is kind]
        yield f"- {kind}: " + "; ".join(f"{one.path} {one.summary}".rstrip() for one in same)


def served_text(tool_schema: ToolSchema) -> str:
    """Return the text on scripts for a program that works on a trial by tools."""
    lines = [*_references(tool_schema.operations), *_executables(tool_schema)]
    return read_text(FOLDER / "served.md").replace("{{harness}}", "\n".join(lines))


def _references(operations: Sequence[Operation], left_out: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield a line for each call, without the result fields that are `left_out`."""
    yield from (_reference(one, left_out) for one in operations if not (one.finds or "." in one.name))
    own = [one for one in operations if "." not in one.name and not one.finds]
    if "call_path" not in left_out and any(one.name == "call_path" for call in own for one in call.fields):
        yield RESULTS
    yield from _servers(operations)
    functions = [operation for operation in operations if operation.finds]
    if functions:
        yield FINDINGS
        yield EXAMPLE.format(next(filter(None, (one.example for one in functions)), f"{functions[0].name}(...)"))
        yield from (
            f"- {signature(function).removeprefix('harness.tools.')}: {function.summary}" for function in functions
        )


def _servers(operations: Sequence[Operation]) -> Iterator[str]:
    """Yield the tools of servers: one line for each tool, or only the names if there are many."""
    servers: dict[str, list[Operation]] = {}
    for operation in operations:
        if "." in operation.name:
            servers.setdefault(operation.name.partition(".")[0], []).append(operation)
    if servers:
        yield SERVER_TOOLS
    count = sum(map(len, servers.values())) - len(servers)
    for server, tools in servers.items():
        # Max tools of servers that the system prompt describes; if there are more, it gives only names.
        if count <= 40:
            yield from (f"- {tool_line(tool)}" for tool in tools)
            continue
        names = " ".join(tool.name.partition(".")[2] for tool in tools)
        more = " ... and more" if len(names) > MOST_NAMES_CHARS // len(servers) else ""
        shown = names[: MOST_NAMES_CHARS // len(servers)].rpartition(" ")[0] if more else names
        yield f"- `harness.{server}`, described by `.help(tool)`, found by `.help(words)`: {shown}{more}"


def tool_line(operation: Operation) -> str:
    """Return one line on a server's tool: its call with types, and its summary."""
    return f"{signature(operation)}: {operation.summary}"


def _reference(operation: Operation, left_out: tuple[str, ...] = ()) -> str:
    fields = " ".join(
        f".{result.name}"
        + (
            f" [{' '.join('.' + item for item in result.items)}]"
            if result.items and not operation.drawn_as_tree
            else ""
        )
        for result in operation.fields
        if result.name != operation.subject and result.name not in left_out
    )
    parsed = " .json()" if operation.json_field else ""
    called = signature(operation).removeprefix("harness.")
    returned = (fields + parsed).strip()
    described = [f"{one.name}: {one.description}" for one in operation.parameters if one.description]
    about = f" ({'; '.join(described)})" if described else ""
    return f"- {called}{f' -> {returned}' if returned else ''}: {operation.summary}{about}"
