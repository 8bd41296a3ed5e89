"""The texts sent to a model, with holes that a trial fills; the system prompt and the first message made of them.

The product's own texts are in `prompts/`; the system prompt is derived from the environment's declaration. The first
message shows the initial calls, made in at most four batches, and ends with the instruction:

1. what the environment declares: the tree, who asks, the time, the rules
2. files that the request names, a search for its ids and words in records, and one for its words in documents
3. the documents and records that fit best, and what the named records link to
4. documents that the best one links to, notices, and the help of tools
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

import re2

from controlplane.agent.events import (
    CallRecord,
    ConversationOpened,
    RankedFile,
    SaidMessage,
)
from controlplane.agent.evidence.recorder import CallUnderWay, Recorder
from controlplane.agent.file_ranker import FileRanker, RankedPages, RequestFacts
from controlplane.agent.initial_calls import InitialCalls, key_of
from controlplane.agent.listed_files import paths_of_tree
from controlplane.agent.loop.example_reply import example_reply
from controlplane.agent.model import Frozen
from controlplane.agent.prompt_sections import SectionWriter, is_help, result_text
from controlplane.agent.record_owners import asker_of, asks_who
from controlplane.agent.rules_routing import paths_in
from controlplane.agent.section_marks import without_marks
from controlplane.sandbox.files.word_ranking import WordRanking, beginning_of, words_of
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Effect,
    InitialCall,
    Operation,
    Plain,
    ToolSchema,
    bounds,
    error_codes,
    signature,
)

FOLDER: Final = Path(__file__).parents[2] / "prompts"
"""The folder beside this package; a folder `prompts` in the working directory is not used."""
HOLES: Final[Mapping[str, frozenset[str]]] = {
    "system": frozenset({"example", "harness", "executables"}),
    "uncited": frozenset({"example", "harness", "executables"}),
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
    has_uncited = (
        folder == FOLDER or (folder / "uncited.md").exists()
    )  # Folders made before it was keep the product's.
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
            content = file.read(
                4 * bounds.MOST_PROMPT_CHARS + 1
            )  # no character of UTF-8 has more than four bytes
        text = content.decode(
            errors="replace" if len(content) > 4 * bounds.MOST_PROMPT_CHARS else "strict"
        )
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        msg = f"{path}, line {line}: it is not UTF-8 text"
        raise PromptError(msg) from error
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise PromptError(msg) from error
    if len(text) > bounds.MOST_PROMPT_CHARS:
        size = f"{bounds.MOST_PROMPT_CHARS:,} characters"
        msg = f"{path} is longer than {size}, which every first request would carry; shorten it"
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


FIND: Final = "find"

Declared = tuple[InitialCall, Operation]


def build_initial_prompt(
    instruction: str,
    recorder: Recorder,
    most_chars: int = 120_000,
    *,
    prompts: Prompts | None = None,
    now: datetime | None = None,
) -> ConversationOpened:
    """Make the initial calls and return the conversation's begin: the system prompt and the first message.

    It shows at most `most_chars` characters of documents and listings. `prompts` default to the product's own. `now` is
    the trial's clock, with its zone.
    """
    prompts = prompts or default_prompts()
    first = FirstMessage(recorder, instruction, most_chars, now).open()
    prompt = prompts.filled("first_message", instruction=without_marks(instruction))
    return first.conversation(system_prompt(first.offered, prompts), first.message(prompt))


class FirstMessage:
    """The sections of an initial prompt: what the environment declares, then what fits the request."""

    def __init__(
        self, recorder: Recorder, instruction: str, most_chars: int, now: datetime | None = None
    ) -> None:
        self.calls = InitialCalls(recorder)
        self.writer = SectionWriter(recorder, most_chars)
        self.facts = RequestFacts(instruction, now)
        self.tool_schema = recorder.tool_schema
        self.ranked_files: tuple[RankedFile, ...] = ()
        """The files that were ranked, for the journal."""

    def open(self) -> FirstMessage:
        """Make the initial calls and write their sections. Every call is recorded, with its error if it failed.

        If no room is left, no further calls are made; the rules are always read, because the gates need them.
        """
        recorder = self.calls.recorder
        try:
            self._show_first()
            if self.writer.left > 0:
                self._show_further()
            if self.writer.left <= 0:
                self.writer.say("(There was no room to open everything.)\n")
            for call in self.calls.begun:
                whole = None if call.call.operation == FIND else 0
                with suppress(CallError):
                    recorder.receive(
                        call, shown_chars=self.writer.shown_chars.get(call.number, whole)
                    )
        finally:
            recorder.await_calls(self.calls.begun)
        return self

    @property
    def offered(self) -> ToolSchema:
        """The environment's declaration without the tools that are down."""
        return without_down(self.tool_schema, map(self.calls.recorder.outcome, self.calls.begun))

    def message(self, prompt: str) -> list[str]:
        """Return the pieces of the first message: the sections, then a prompt with the instruction.

        The instruction comes last, so that trials share the text before it.
        """
        pieces = [piece for section in self.writer.sections for piece in section.pieces]
        if (
            not pieces or self.tool_schema.citations == "none"
        ):  # The text before the instruction is about citing them.
            prompt = prompt[max(prompt.find("<instruction>"), 0) :]
        return [*pieces, prompt]

    def conversation(
        self, system: str, message: Sequence[str], exchange: Sequence[SaidMessage] = ()
    ) -> ConversationOpened:
        """Return the begin of a conversation, with the calls that were made for it."""
        recorder = self.calls.recorder
        return ConversationOpened(
            trial_id=recorder.trial_id,
            system=system,
            first_message=tuple(message),
            exchange=tuple(exchange),
            calls=tuple(recorder.calls),
            rules=self.facts.rules,
            files=self.ranked_files,
        )

    def _show_first(self) -> None:
        """Make the declared calls that need no other, side by side, and show their results."""
        begun = [
            (call, operation, self.calls.send(operation.name, call.arguments))
            for call, operation in first_calls(self.tool_schema)
            if self.writer.left > 0 or _is_rules(self.tool_schema, operation, call.arguments)
        ]
        for call, operation, sent in begun:
            if _exit_code(
                operation, self.calls.result(sent)
            ):  # Once more, for the next batches look for who asks.
                sent = self.calls.send(operation.name, call.arguments, attempt=2)
            self._show(call, operation, sent)

    def _show(self, declared: InitialCall, operation: Operation, sent: CallUnderWay) -> None:
        """Show the result of a declared call, and learn from it. Without room only the rules are shown."""
        arguments, result = sent.call.arguments, self.calls.result(sent)
        is_rules = _is_rules(self.tool_schema, operation, arguments)
        if declared.most_chars == 0 or (self.writer.left <= 0 and not is_rules):
            return
        if is_rules:
            self.facts.rules = str(result.get(operation.json_field, ""))
        elif operation.effect is Effect.EXECUTES and not is_help(arguments):
            self._learn_output(operation, sent)
        tree = self._tree(declared, operation, sent) if operation.drawn_as_tree else None
        self.writer.show(operation, sent, declared.most_chars, text=tree)

    def _learn_output(self, operation: Operation, sent: CallUnderWay) -> None:
        """Keep the output of a tool, and learn from it who asks."""
        output = result_text(operation, self.calls.result(sent))
        self.facts.outputs.append(output)
        owners = self.tool_schema.record_owners
        if owners is not None and asks_who(owners, sent):
            self.facts.asker = asker_of(owners, output)

    def _tree(self, declared: InitialCall, operation: Operation, sent: CallUnderWay) -> str | None:
        """Return the drawing of a tree: from one list of all files if the call for a tree that is too large failed;
        None if neither shows them."""
        arguments, outcome = sent.call.arguments, self.calls.recorder.outcome(sent)
        root, level = str(arguments.get(operation.subject) or "/"), arguments.get("level")
        if outcome.result:
            levels = level if isinstance(level, int) and level else 40
            self.facts.listed.add(root, paths_of_tree(outcome.result, root.rstrip("/"), levels))
        else:
            is_too_large = (
                outcome.error is not None and outcome.error.code == error_codes.RESOURCE_EXHAUSTED
            )
            given: dict[str, Plain] = {"name": "*", "root": root, "kind": "files", "limit": 0}
            can_list = is_too_large and self.tool_schema.operation(FIND) in FILE_OPERATIONS
            found = self.calls.result(self.calls.send(FIND, given)) if can_list else {}
            if not isinstance(paths := found.get("paths"), list) or found.get("truncated"):
                return None
            self.facts.listed.add(root, sorted(map(str, paths)))
        longest = (
            len(self.facts.listed.files)
            if declared.longest_listing is None
            else declared.longest_listing
        )
        text = self.facts.listed.drawn(longest, root=root, in_full=paths_in(self.facts.instruction))
        is_short = len(text) <= self.writer.room(declared.most_chars)
        return text if is_short else self.facts.listed.drawn(0, root=root)

    def _show_further(self) -> None:
        """Make the calls that need others: in three batches, those of documents, records and tools side by side."""
        pages = RankedPages(None, "/", ())
        whole: list[tuple[InitialCall, Operation, CallUnderWay]] = []
        for call, operation in declared_calls(self.tool_schema):
            is_read = operation.effect is Effect.READS
            if call.each_of is not None:
                values = self._values(call.each_of)
                if call.is_ranked and is_read:
                    pages = self._ranked_pages(call.each_of, operation, values)
                    continue
                for value in values:
                    arguments = {**call.arguments, operation.subject: value}
                    whole.append((call, operation, self.calls.send(operation.name, arguments)))
            elif is_read and not self._is_sent(call, operation):
                whole.append((call, operation, self.calls.send(operation.name, call.arguments)))
        with closing(WordRanking()) as ranking:
            self._show_ranked(FileRanker(self.calls, self.facts, pages, ranking), whole)

    def _is_sent(self, call: InitialCall, operation: Operation) -> bool:
        return self.calls.sent(operation, str(call.arguments.get(operation.subject))) is not None

    def _ranked_pages(
        self, listing: EachOf, operation: Operation, values: Iterable[Plain]
    ) -> RankedPages:
        """Return the listed documents that were not opened before."""
        paths = [str(value) for value in values]
        unopened = [path for path in paths if self.calls.sent(operation, path) is None]
        return RankedPages(operation, str(listing.arguments.get("root") or "/"), tuple(unopened))

    def _show_ranked(
        self, ranker: FileRanker, whole: list[tuple[InitialCall, Operation, CallUnderWay]]
    ) -> None:
        """Show the whole documents, then what fits the request, and the help of tools."""
        ranker.search()
        ranker.read()
        for call, operation, begun in whole:
            self._show(call, operation, begun)
        ranker.rank()
        helps = self._send_helps(ranker.best_page, offers_all=not ranker.pages)
        ranker.read_linked()
        ranker.rank()
        ranker.show(self.writer)
        self.ranked_files = ranker.rows()
        shown = "\n".join([self.facts.rules, ranker.best_page])
        for call, operation, begun in helps:
            result = self.calls.result(begun)
            tool = begun.call.arguments.get(operation.subject)
            is_described = f"`{tool} " in shown
            if not result or _exit_code(operation, result) or not is_described:
                self._show(call, operation, begun)

    def _values(self, listing: EachOf) -> list[Plain]:
        """Return the values of a listing: from a tree if one shows them all, else from its call."""
        given = listing.arguments
        if (listing.operation, given.get("kind"), given.get("limit")) == (FIND, "files", 0):
            files, name = (
                self.facts.listed.below(str(given.get("root"))),
                str(given.get("name")).lower(),
            )
            if files is not None:
                return [
                    path for path in files if fnmatchcase(path.rpartition("/")[2].lower(), name)
                ]
        values = self.calls.result(self.calls.send(listing.operation, given)).get(listing.field)
        return [
            value.get("path") if isinstance(value, dict) else value
            for value in (values if isinstance(values, list) else [])
            if not (isinstance(value, dict) and value.get("is_dir"))
        ]

    def _send_helps(
        self, best: str, *, offers_all: bool
    ) -> list[tuple[InitialCall, Operation, CallUnderWay]]:
        """Ask for the help of the tools that request, rules or the best document name and that are not down."""
        declared = declared_calls(self.tool_schema)
        helps = {
            str(call.arguments.get(one.subject)): (call, one)
            for call, one in declared
            if is_help(call.arguments)
        }
        needed = [tool.path for tool in self.offered.executables if tool.path in helps]
        if not offers_all and len(helps) > 3:  # Of few tools all help is shown.
            request = self.facts.instruction
            text, words = (
                f"{request}\n{self.facts.rules}\n{best}",
                {*map(beginning_of, words_of(request))},
            )
            run = {
                call.arguments.get(one.subject)
                for call, one in declared
                if not is_help(call.arguments)
            }
            named = [
                tool
                for tool in needed
                if tool in text or beginning_of(tool.rpartition("/")[2].casefold()) in words
            ]
            needed = [tool for tool in named if tool not in run]
        asked = [helps[tool] for tool in needed[: self.calls.spare]]
        return [
            (call, operation, self.calls.send(operation.name, call.arguments))
            for call, operation in asked
        ]


def declared_calls(tool_schema: ToolSchema) -> list[Declared]:
    """Return the declared initial calls with their operations; a call of an unknown operation is left out."""
    calls = [(call, tool_schema.operation(call.operation)) for call in tool_schema.initial_calls]
    return [(call, operation) for call, operation in calls if operation is not None]


def without_down(tool_schema: ToolSchema, calls: Iterable[CallRecord]) -> ToolSchema:
    """Return a declaration without the tools that its declared initial calls, among `calls`, found to be down."""
    results = {key_of(made.operation, made.arguments): made.result for made in calls}
    probes = [
        (call.arguments.get(operation.subject), operation, results[key])
        for call, operation in declared_calls(tool_schema)
        if call.most_chars == 0 and (key := key_of(call.operation, call.arguments)) in results
    ]
    down = {
        tool for tool, operation, result in probes if not result or _exit_code(operation, result)
    }
    return replace(
        tool_schema,
        executables=tuple(tool for tool in tool_schema.executables if tool.path not in down),
    )


def _exit_code(operation: Operation, result: Mapping[str, Plain]) -> Plain:
    return result.get(operation.exit_field) if operation.exit_field else 0


def first_calls(tool_schema: ToolSchema) -> list[Declared]:
    """Return the declared calls of the first batch: of files, the rules alone if there is a tree."""
    declared = [
        one
        for one in declared_calls(tool_schema)
        if one[0].each_of is None and not is_help(one[0].arguments)
    ]
    if not any(operation.drawn_as_tree for _, operation in declared):
        return declared
    return [
        (call, operation)
        for call, operation in declared
        if operation.effect is not Effect.READS or _is_rules(tool_schema, operation, call.arguments)
    ]


def _is_rules(
    tool_schema: ToolSchema, operation: Operation, arguments: Mapping[str, Plain]
) -> bool:
    return (
        bool(operation.json_field)
        and arguments.get(operation.subject) == tool_schema.rules_document
    )


def failed_searches(calls: Iterable[CallRecord]) -> str:
    """Return why every initial search failed, as a notice of the run; empty if one succeeded or none was made.

    The text is the same for all trials in which they fail alike.
    """
    errors = [call.error for call in calls if call.operation == "search"]
    codes = ", ".join(sorted({error.code for error in errors if error is not None}))
    said = f"the environment refuses every search of the initial prompt ({codes}): records are shown only if a request "
    return "" if not errors or None in errors else f"{said}names their files"


FINDINGS: Final = "\n`harness.tools.NAME` gives .value, .notes (doubts); its reads count:"
EXAMPLE: Final = "r = harness.tools.{}; print(r.value, r.notes); scratchpad.cite_all(r)"
SERVER_TOOLS: Final = (
    "\nTools of servers. Each returns .text, .data (parsed, if it is structured; its keys are attributes too) and\n"
    ".call_path, which counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
)
RESULTS: Final = (
    "\nA result's .call_path counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
)


def system_prompt(tool_schema: ToolSchema, prompts: Prompts | None = None) -> str:
    """Return the system prompt for an environment: the same for every trial of one declaration."""
    prompts = prompts or default_prompts()
    text = prompts.filled(
        "uncited" if tool_schema.citations == "none" else "system",
        example=example_reply(tool_schema),
        harness="\n".join(
            _references(
                tool_schema.operations, ("call_path",) if tool_schema.citations == "none" else ()
            )
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
    operations = [operation for operation in operations if not operation.is_later]
    yield from (
        _reference(one, left_out) for one in operations if not (one.finds or "." in one.name)
    )
    own = [one for one in operations if "." not in one.name and not one.finds]
    if "call_path" not in left_out and any(
        one.name == "call_path" for call in own for one in call.fields
    ):
        yield RESULTS
    yield from _servers(operations)
    functions = [operation for operation in operations if operation.finds]
    if functions:
        yield FINDINGS
        yield EXAMPLE.format(
            next(filter(None, (one.example for one in functions)), f"{functions[0].name}(...)")
        )
        yield from (
            f"- {signature(function).removeprefix('harness.tools.')}: {function.summary}"
            for function in functions
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
        more = " ... and more" if len(names) > bounds.SHOWN_NAMES_CHARS // len(servers) else ""
        shown = (
            names[: bounds.SHOWN_NAMES_CHARS // len(servers)].rpartition(" ")[0] if more else names
        )
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
    described = [
        f"{one.name}: {one.description}" for one in operation.parameters if one.description
    ]
    about = f" ({'; '.join(described)})" if described else ""
    return f"- {called}{f' -> {returned}' if returned else ''}: {operation.summary}{about}"
