"""Learns facts from the result of an initial call, and shows the result in the first message.

The draft of the message has both: its `facts` and its sections. For the call `exec /bin/whoami`,
which returns `user: m-7`:

    learned   facts.asker = "m-7", by which the records of this member are chosen
    shown     <section title="exec /bin/whoami">user: m-7</section>
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.call_batches import call_batches
from controlplane.agent.initial_calls.call_for_each import CallKind, DeclaredCall
from controlplane.agent.initial_calls.file_reader import InitialCalls
from controlplane.agent.initial_calls.sections import (
    SectionWriter,
    SentCall,
    outcome_text,
    result_text,
    show_result,
    without_failed_tools,
)
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.retrieval.document_search import (
    RequestFacts,
    asker_of,
    asks_who,
)
from controlplane.agent.retrieval.file_names import paths_in
from controlplane.agent.retrieval.listing import ListedFiles, drawn_tree, paths_of_tree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Operation,
    Plain,
    ToolSchema,
    error_codes,
)

# Learns facts about a request from the results of the calls that an environment declares.
#
# For example, the output `user: m-7` of `/bin/whoami` says that the member `m-7` asks. Such facts
# decide which further files the first message shows: here, the records of this member.


def _learn_facts(sent: SentCall, facts: RequestFacts, tool_schema: ToolSchema) -> None:
    """Wait for a call, and add what its result says to `facts`.

        read /RULES.md    sets `facts.rules`
        exec /bin/date    adds its output to `facts.outputs`
        exec /bin/whoami  also sets `facts.asker`, the user who asks

    Results of other calls add nothing.
    """
    declared = sent.declared
    if declared.kind is CallKind.READS_RULES:
        text = sent.call.result().get(declared.operation.json_field, "")
        facts.rules = str(text)
        return
    if declared.kind is not CallKind.RUNS_TOOL:
        return
    output = result_text(declared.operation, sent.call.result())
    facts.outputs.append(output)
    # An environment whose records have owners also says which tool prints who asks:
    # `RecordOwners(fields=("owner_id",), tool="/bin/whoami")`.
    owners = tool_schema.record_owners
    if owners is not None and asks_who(owners, sent.call):
        facts.asker = asker_of(owners, output)


# Lists all files of a folder by a call of `find`, for a tree that is too large for one result.
#
# A call of `tree` then fails with `RESOURCE_EXHAUSTED`. `find` returns less: only paths.
#
#     find("*", root="/", kind="files", limit=0)   -> ["/a.md", "/docs/b.md", ...]

FIND: Final = "find"
"""The operation that finds files by their names."""


def _found_files(root: str, calls: InitialCalls) -> list[str] | None:
    """Return all files below a folder, found by a `find` call; None if they are unknown.

    They are unknown if the call fails, or gives only a part of them, or cannot be made.
    """
    # An environment may have a `find` of its own, with other arguments.
    is_standard_find = calls.tool_schema.operation(FIND) in FILE_OPERATIONS
    if not is_standard_find:
        return None

    arguments: dict[str, Plain] = {
        "name": "*",
        "root": root,
        "kind": "files",
        "limit": 0,
    }
    result = calls.send(FIND, arguments).result()
    paths = result.get("paths")
    if not isinstance(paths, list) or result.get("truncated"):
        return None
    return sorted(str(path) for path in paths)


# Reads the files of an environment from the result of a declared call, such as `tree /`.
#
# From these files, those are chosen that fit a request. A tree may list only some levels of folders:
#
#     tree /           -> ["/a.md", "/docs/rules.md", "/docs/old/2019.md"]
#     tree / level=1   -> ["/a.md", "/docs/" + UNLISTED], which stands for the files of `/docs`

_ALL_LEVELS: Final = 40
"""Stands for all levels of a tree. No real folder has as many."""


def _tree_root(tree: DeclaredCall) -> str:
    """Return the folder whose tree a call lists: `/docs` for `tree /docs`.

    The `subject` of an operation is the name of its argument for the path.
    """
    return str(tree.arguments.get(tree.operation.subject) or "/")


def _tree_levels(tree: DeclaredCall) -> int:
    """Return how many levels of folders a call lists: 2 for `tree / level=2`.

    A call without `level` has the default that its operation declares. If this is 0 or
    missing, the call lists all levels.
    """
    defaults = {
        parameter.name: parameter.default for parameter in tree.operation.parameters
    }
    levels = tree.arguments.get("level", defaults.get("level"))
    if not isinstance(levels, int) or levels == 0:
        return _ALL_LEVELS
    return levels


def _tree_files(sent: SentCall, calls: InitialCalls) -> list[str] | None:
    """Wait for the call that lists a tree, and return all files.

    A tree may be too large for one result. Its call then fails with `RESOURCE_EXHAUSTED`,
    and a `find` call lists the files instead. None if the result is empty, or the call
    failed for another reason: the files are unknown.
    """
    root = _tree_root(sent.declared)
    outcome = sent.call.outcome()
    if outcome.result:
        levels = _tree_levels(sent.declared)
        return paths_of_tree(outcome.result, root.rstrip("/"), levels)
    error = outcome.error
    if error is not None and error.code == error_codes.RESOURCE_EXHAUSTED:
        return _found_files(root, calls)
    return None


# Draws the tree of an environment's files for the first message, in the room that is left.
#
# The drawing tells the model which files there are. A folder with many files takes one line. The
# tree of `/docs`, with the declared `longest_listing` 4, if the request does not name `/docs/old`:
#
#     docs/
#       rules.md
#       old/ (312: 2019.md ..)


def _drawing_of(
    tree: DeclaredCall, listed: ListedFiles, named_folders: Iterable[str], room: int
) -> str:
    """Return the drawing of a tree, in `room` characters if possible.

    `tree` is the declared call that lists it. The `named_folders` are drawn in full.
    """
    root = _tree_root(tree)
    longest_listing = tree.longest_listing  # A folder with more files takes one line.
    if longest_listing is None:
        longest_listing = len(listed.files)
    drawing = drawn_tree(
        listed.files, longest_listing, root=root, in_full=named_folders
    )
    if len(drawing) <= room:
        return drawing
    return drawn_tree(listed.files, 0, root=root)  # Every folder takes one line.


# The first message of a trial while it is written: its calls, its facts and its sections.
#
# An environment *declares* calls for the first message, such as `exec /bin/whoami`. They are made
# before the model is asked. Each goes three ways:
#
#     draft.send(declared)               the call is sent, and may still run
#     draft.facts.asker = "m-7"          its result says who asks, so that files of `m-7` are chosen
#     draft.writer.add_result(...)       its result is shown: `user: m-7`


class MessageDraft:
    """The first message of a trial while it is written."""

    def __init__(self, trial: TrialContext, recorder: Recorder, max_chars: int) -> None:
        """The results of the calls may take `max_chars` characters in the message."""
        self.calls = InitialCalls(recorder)
        """Makes the calls, each of them once."""
        self.batches = call_batches(recorder.tool_schema)
        """The declared calls, by when they are sent."""
        self.facts = RequestFacts(trial.instruction, trial.now)
        """What is known about the request: the rules, who asks, the listed files."""
        self.writer = SectionWriter(recorder.tool_schema, max_chars)
        """Writes the sections of the message, and knows how much room is left in it."""

    def send(self, declared: DeclaredCall) -> SentCall:
        """Send a declared call, and return it. It may still run, beside others."""
        call = self.calls.send(declared.operation.name, declared.arguments)
        return SentCall(declared, call)

    def send_again(self, failed: SentCall) -> SentCall:
        """Send a call that has failed a second time, and return the second try."""
        declared = failed.declared
        call = self.calls.send_again(declared.operation.name, declared.arguments)
        return SentCall(declared, call)

    def was_read(self, path: str, read: Operation) -> bool:
        """Return True if a call of the operation `read` was sent for this file before."""
        return self.calls.sent_call(read.name, {read.subject: path}) is not None

    @property
    def working_tool_schema(self) -> ToolSchema:
        """The environment's declaration without the tools whose test call failed."""
        outcomes = [call.outcome() for call in self.calls.all_calls]
        return without_failed_tools(self.calls.tool_schema, outcomes)


# The end of the first message, which has the instruction: the request of the user.
#
# It is the prompt `first_message.md` with the instruction in its hole. This prompt begins with a
# text about citations, which is left out if there is nothing to cite:
#
#     "All above can be cited. <instruction>Renew my loan</instruction>"
#         -> "<instruction>Renew my loan</instruction>"


def instruction_text(filled_prompt: str, *, has_citable: bool) -> str:
    """Return the end of a first message, from the prompt with the instruction in its hole.

    `has_citable` is true if the message shows something that can be cited.
    """
    if has_citable:
        return filled_prompt
    _, mark, instruction = filled_prompt.partition("<instruction>")
    if not mark:
        return filled_prompt  # The user's own prompt may lack the mark.
    return mark + instruction


# Computes how much of a model's context the first message may take.
#
# For a context of 32,000 tokens, the system prompt and the first message may have 48,000
# characters: half of the tokens, at 3 characters each.

_PROMPT_SHARE: Final = 0.5
"""The share of the context for the system prompt and the first message. Steps need the rest."""
CHARS_PER_TOKEN: Final = 3.0
"""A low estimate, because records have fewer characters per token than prose."""


@dataclass(frozen=True, slots=True)
class MessageRoom:
    """How many characters documents and listings may take in a first message."""

    max_chars: int
    """The characters that the settings allow."""
    context_tokens: int | None = None
    """The size of the model's context; None if it is unknown."""
    other_chars: int = 0
    """The characters of the system prompt and the instruction."""

    @classmethod
    def beside(
        cls, system_prompt: str, trial: TrialContext, settings: LoopSettings
    ) -> MessageRoom:
        """Return the room beside the system prompt and the instruction of a trial."""
        return cls(
            settings.initial_prompt_chars,
            trial.limits.context_tokens or trial.context_tokens,
            len(system_prompt) + len(trial.instruction),
        )

    @property
    def chars(self) -> int:
        """The characters that may be shown."""
        if self.context_tokens is None:
            return self.max_chars
        context_chars = int(self.context_tokens * _PROMPT_SHARE * CHARS_PER_TOKEN)
        return min(self.max_chars, max(context_chars - self.other_chars, 0))

    @property
    def limiting_tokens(self) -> int:
        """The size of the context if it leaves less room than the settings; else 0."""
        if self.context_tokens is None or self.chars >= self.max_chars:
            return 0
        return self.context_tokens


def learn_and_show(draft: MessageDraft, sent: SentCall) -> None:
    """Wait for a call, learn facts from its result, and show the result in the message."""
    declared = sent.declared
    if declared.only_tests_tool:
        return  # The call only finds out whether a tool works.
    # Facts decide what else the message shows, so a full message needs none. But the workspace's
    # rules are always learned: the gates (the rules for answers) judge by them.
    reads_rules = declared.kind is CallKind.READS_RULES
    if not draft.writer.has_room and not reads_rules:
        return
    _learn_facts(sent, draft.facts, draft.calls.tool_schema)
    operation = declared.operation
    files = _tree_files(sent, draft.calls) if operation.drawn_as_tree else None
    if files is not None:
        draft.facts.listed.add(_tree_root(declared), files)
        text = _drawn_files(draft, declared)
    else:  # The call lists no tree, or has failed. Its result is shown, or its error.
        text = outcome_text(operation, sent.call.outcome())
    # This shows only as much of the text as there is room for.
    show_result(draft.writer, operation, sent.call, text, declared.max_chars)


def _drawn_files(draft: MessageDraft, tree: DeclaredCall) -> str:
    """Return the drawing of the files that a call has listed."""
    # Folders that the request names are drawn in full, if there is room.
    named_folders = paths_in(draft.facts.instruction)
    room = draft.writer.room_for_result(tree.max_chars)
    return _drawing_of(tree, draft.facts.listed, named_folders, room)
