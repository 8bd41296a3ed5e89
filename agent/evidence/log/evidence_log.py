"""Keeps what a trial has read, written and executed: its *evidence*.

An answer may only state what its trial has read. Gates, which judge answers, look that up here:

    add_call(read of /docs/fees.md, with the result {"content": "Late return: 7 EUR"})
    view().accesses["/docs/fees.md"]   -> Access: read, with the text "Late return: 7 EUR"
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import islice
from typing import Final, NamedTuple

from controlplane.agent.events import CallRecord, Citation
from controlplane.agent.evidence.log.evidence_collector import EvidenceCollector
from controlplane.agent.evidence.log.evidence_parts import EvidenceParts, SeenWorkspace
from controlplane.agent.evidence.log.file_listings import FileListings
from controlplane.agent.evidence.log.file_reads import (
    FileReads,
    ScriptRuns,
    learn_reached_file,
    learn_reached_tool,
)
from controlplane.agent.evidence.log.server_results import ServerResults, TrialChanges
from controlplane.agent.evidence.log.tools import HELP, ToolRun, files_of_command
from controlplane.agent.evidence.paths.known_paths import (
    CitedPaths,
    KnownPaths,
    PathAliases,
)
from controlplane.agent.evidence.paths.path_texts import FileChangeLog, PathTexts
from controlplane.agent.evidence.texts.call_arguments import (
    CallArguments,
    echoable_words,
)
from controlplane.agent.evidence.texts.own import UnprovenWords
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.evidence.texts.words import has_words
from controlplane.agent.failure_codes import failure_of
from controlplane.gates.boilerplate import is_boilerplate
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import canonical, nearest
from controlplane.gates.quoting import quote
from controlplane.gates.submission import fault_of_reason
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.gates.trial import Change, SeenText, TextKind
from controlplane.sandbox.interface import (
    Effect,
    Executable,
    ExecutableKind,
    FileArguments,
    Plain,
    ToolSchema,
    bounds,
    error_codes,
)

# What is learnt about files from a call that has failed.
#
# A write may time out although the environment has made it. If the script then reads the file, it
# may read its own text, which proves nothing. So the file counts as the trial's *own*:
#
# | failed call | its error | what is learnt |
# |---|---|---|
# | `read("/a.md")` | `not_found` | there is no `/a.md` |
# | `write("/a.md", ...)` | `deadline_exceeded` | `/a.md` may be the trial's own |
# | `move("/a.md", "/b.md")` | `deadline_exceeded` | `/a.md` and `/b.md` may be the trial's own |
# | `exec("/bin/odd")` | `deadline_exceeded` | files may have appeared that were missing |

_EFFECTS_ON_FILES: Final = (Effect.WRITES, Effect.DELETES, Effect.MOVES)


def _learn_from_failure(
    known_paths: KnownPaths, call: ReturnedCall, code: str, *, may_change: bool
) -> None:
    """Learn from a call that failed with an error code.

    `may_change` is true if the call would change something, or may do so.
    """
    path = call.requested_path
    if code == error_codes.NOT_FOUND and path:
        known_paths.files.learn_missing(path)

    may_have_changed = may_change and failure_of(code).in_doubt
    if not may_have_changed:
        return
    known_paths.files.forget_missing()
    if call.declared.effect in _EFFECTS_ON_FILES:
        known_paths.own.add(path)
    if call.target_path:
        known_paths.own.add_moved(path, call.target_path)


# Adds calls that write, delete or move files to the evidence of a trial.
#
# The gates compare these changes with the answer, which may say "I have saved the report":
#
#     write("/report.md", ...)   -> Change("/report.md", "write")
#     delete("/old.md")          -> Change("/old.md", "delete")
#     move("/a.md", "/b.md")     -> Change("/a.md", "delete"), Change("/b.md", "write")


@dataclass(frozen=True, slots=True)
class _FileChanges:
    """Adds the calls of one trial that changed files."""

    known_paths: KnownPaths
    """Learns which paths lead to the same file."""
    changed_files: FileChangeLog
    """Remembers these files: what is read there from now on may be the script's own text."""
    changes: list[Change]
    """All changes of the trial, in order."""

    def add(self, call: ReturnedCall) -> list[str]:
        """Add a change of a file. Return the path by which the call has asked."""
        path = learn_reached_file(self.known_paths, call)
        target = call.target_path
        if call.declared.effect is Effect.WRITES:
            self.changed_files.write(path, call.arguments.written_text)
            self.changes.append(Change(path, "write"))
        elif call.declared.effect is Effect.MOVES and target:
            self.changed_files.move(path, target)
            self.changes.append(Change(path, "delete"))
            self.changes.append(Change(target, "write"))
        else:  # A move without a target is a deletion, too.
            self.changed_files.delete(path)
            self.changes.append(Change(path, "delete"))
        return [call.requested_path]


# The note for the model that a tool has failed.
#
# A script may not look at the exit code of a tool, and take its complaint for an answer. So the model
# is told, with the beginning of what the tool has printed:
#
#     exec("/bin/jq", args=["fee", "/docs/Fees.json"]) -> {"exit_code": 3, "stderr": "compile error"}
#         -> "`/bin/jq` ended with exit code 3: `compile error`"

_MOST_COMPLAINT_CHARS: Final = 300
"""How many characters of a failed tool's output a note quotes."""


def _failure_notes(run: ToolRun) -> tuple[str, ...]:
    """Return the note on a run that has failed.

    There is none if the environment does not declare in which field of a result the exit code
    is: the code is then only a guess.
    """
    if not run.call.declared.exit_field:
        return ()
    note = f"{quote(run.path)} ended with exit code {run.exit_code}"
    result = run.call.result
    complaint = str(result.get("stderr") or result.get("stdout") or "").strip()
    if not complaint:
        return (f"{note} and said nothing.",)
    return (f"{note}: {quote(complaint, _MOST_COMPLAINT_CHARS)}",)


# Adds what tools print of files to the evidence, so that an answer may cite these files.
#
# After `cat /docs/fees.md` has printed `fee: 7`, an answer may cite `/docs/fees.md` for this fee. But
# a script could let a tool print words of its own, and cite the file for them. So an output is added
# only if all of it is text of files:
#
#     cat /docs/fees.md                         is added
#     cat /docs/fees.md, with a text as stdin   is not: the output may be this text
#     cat /docs/fees.md /note.md                is not, if the script may have written `/note.md`


@dataclass(frozen=True, slots=True)
class _PrintedFiles:
    """Adds the texts of files that the tools of one trial have printed."""

    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""

    def add(
        self, run: ToolRun, declared: FileArguments | None, *, has_changed_files: bool
    ) -> list[str]:
        """Add the output of a tool as text of the files that it opened, and return their paths.

        Files that are known not to exist are left out. `declared` says which words of the command
        line are files; None if the tool does not declare it. `has_changed_files` is true if the
        script may have written to any file.
        """
        opened = None if run.has_stdin else files_of_command(run.words, declared)
        if opened is None:
            return []
        if has_changed_files and opened.are_several:
            return []  # A line may be from a file that the script has written.

        seen_texts = opened.seen_texts(run.output)
        # The initial prompt may show the model only the beginning of an output. If this has no
        # word, such as `---`, the model has not read the file.
        is_unread = run.call.is_of_initial_prompt and not has_words(run.output)
        if is_unread or not seen_texts:
            return []

        requested_paths = [canonical(path) for path in opened.paths]
        paths = [path for path in requested_paths if self.workspace.may_be_file(path)]
        for path in paths:
            for seen in seen_texts:
                self.workspace.texts.add_file_text(path, seen)
        return paths


# Adds the outputs of tools to the evidence, each as a text at the path of its tool.
#
# After `exec("/bin/date")` has printed `12 May`, an answer may cite `/bin/date` for this date. But a
# script could run `/bin/echo 7`, and cite the 7. So an output that the script may have chosen counts as
# its own text, which proves nothing:
#
#     /bin/date prints `12 May`   proof
#     /bin/echo 7 prints `7`      the script's own, as for all arguments and input


@dataclass(frozen=True, slots=True)
class _ToolOutputs:
    """Adds the outputs of tools in one trial."""

    declared_tools: Sequence[Executable]
    """The tools that the environment declares."""
    known_paths: KnownPaths
    """Knows which tools the trial wrote."""
    texts: PathTexts
    """Gets the outputs."""

    def add(self, run: ToolRun) -> None:
        """Add the output of a run at the path of its tool."""
        if run.has_failed and not self._is_declared(run.path):
            return  # There may be no such tool: the script may have misspelt its name.
        seen = SeenText(
            run.output,
            self._kind_of_output(run),
            # The words that the script passed, which the output may only repeat.
            unproven_words=echoable_words(run.call.arguments),
            lines=(),  # The text has no line numbers of a file.
        )
        self.texts.add_returned_text(run.path, "execute", seen)

    def _is_declared(self, path: str) -> bool:
        """Return True if the environment declares a tool with this path."""
        return any(tool.path == path for tool in self.declared_tools)

    def _kind_of_output(self, run: ToolRun) -> TextKind:
        """Return `OWN` if the script may have chosen what the tool prints."""
        has_input = bool(run.call.arguments.inputs)  # arguments, or a text as stdin
        is_tool_of_script = self.known_paths.is_own(run.path)
        if run.has_failed or has_input or is_tool_of_script:
            return TextKind.OWN
        return TextKind.WHOLE


# Tells the model which of the paths that it has used are aliases of a file.
#
# A call for `/Loans.md` may reach the file that listings show as `/docs/Loans.md`. An answer has to
# cite the file by the listed path, so the model is told after the call:
#
#     alias_notes(["/Loans.md", "/docs/fees.md"], aliases)
#         -> ("`/Loans.md` is `/docs/Loans.md`: cite it by that path.",)


def _alias_notes(used_paths: Iterable[str], aliases: PathAliases) -> tuple[str, ...]:
    """Return a note for each used path that is an alias: it must be cited by another path."""
    notes: list[str] = []
    for path in used_paths:
        cited_path = aliases.path_to_cite(path)
        if cited_path != path:
            notes.append(f"{quote(path)} is {quote(cited_path)}: cite it by that path.")
    return tuple(notes)


# Adds the calls that run a tool of the environment, a program such as `/bin/jq`, to the evidence.
#
# An answer may then cite the tool's path for its output. What else is added depends on the tool's
# declaration:
#
# | run | is added |
# |---|---|
# | `/bin/jq --help` | nothing: it is not about the workspace |
# | one that failed | the output, but not as proof. The model gets a note |
# | `/bin/jq .fee /a.json`, which only reads | the output, at `/bin/jq` and at `/a.json` |
# | `/bin/set fee 7`, which changes something | the output, at `/bin/set`, and a change |
# | `/bin/odd`, which does not declare what it does | the output, and an *unclear* tool |


@dataclass(frozen=True, slots=True)
class ToolRuns:
    """Adds the runs of tools in one trial."""

    tool_schema: ToolSchema
    """Declares for each tool if it only reads."""
    known_paths: KnownPaths
    """Knows how listings spell the path of a tool, and which paths are aliases."""
    outputs: _ToolOutputs
    """Adds the output of a tool at the tool's path."""
    printed_files: _PrintedFiles
    """Adds the output of a tool as text of the files that it opened."""
    scripts: ScriptRuns
    """The scripts of the trial, with what they printed."""
    changes: TrialChanges
    """What calls have changed so far."""

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add a run, and return notes for the model: that the run has failed, or used aliases."""
        if call.arguments.command_line == HELP:
            return ()
        path = learn_reached_tool(self.known_paths, call)
        run = ToolRun(path, call, call.shown_text().text)
        if call.is_of_initial_prompt:
            # The initial prompt shows the output, so it counts as printed.
            self.scripts.add_printed(run.output)
        # The output of a run that failed, or that the script may have chosen, is no proof there.
        self.outputs.add(run)

        tool = self.tool_schema.executable(path)
        only_reads = tool.kind is ExecutableKind.READS
        if not only_reads:
            # Even a run that failed may have created files that were missing before.
            self.known_paths.files.forget_missing()
        if run.has_failed:
            return _failure_notes(run)
        if not only_reads:
            # By its kind, the tool counts as one that changes something, or as unclear.
            self.changes.add_run(path, tool.kind)
            return ()
        opened_paths = self.printed_files.add(
            run, tool.files, has_changed_files=self.changes.has_changing_calls
        )
        return _alias_notes(opened_paths, self.known_paths.aliases)


# Adds the results of calls to the evidence, by the effect that each operation declares.
#
# An answer may only cite what a call has shown, and at the path where it has shown it:
#
# | call | effect | what an answer may cite |
# |---|---|---|
# | `now()` | `NONE` | nothing |
# | `wiki.search("fees")`, `mail.send(...)` | `RETURNS`, `ACTS`, `UNDECLARED` | the result, at its own path |
# | `grep("fee")`, `list("/docs")` | `LISTS` | the lines that `grep` found; of `list`, nothing |
# | one of those below without a path | | nothing |
# | `exec("/bin/jq", ...)` | `EXECUTES` | the output, at `/bin/jq` |
# | `read("/docs/fees.md")` | `READS` | the text, at `/docs/fees.md` |
# | `write("/report.md", ...)` | `WRITES`, `DELETES`, `MOVES` | `/report.md`, as changed |


@dataclass(frozen=True, slots=True)
class _CallResults:
    """Adds the results of one trial's calls that succeeded, each to the part for its effect."""

    server_results: ServerResults
    file_listings: FileListings
    file_reads: FileReads
    file_changes: _FileChanges
    tool_runs: ToolRuns
    aliases: PathAliases
    """Tells by which path each file is cited."""

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add the result of a call, and return notes on it for the model.

        Example of a note: “`/Loans.md` is `/docs/Loans.md`: cite it by that path.”
        """
        used_paths: Sequence[str] = ()
        match call.declared.effect:
            case Effect.NONE:
                pass
            case Effect.RETURNS | Effect.ACTS | Effect.UNDECLARED:
                self.server_results.add(call)
            case Effect.LISTS:
                used_paths = self.file_listings.add(call)
            case _ if not call.requested_path:
                pass  # The effects below need a path, or an answer could not cite the result.
            case Effect.EXECUTES:
                return self.tool_runs.add(call)  # with notes on failures
            case Effect.READS:
                used_paths = self.file_reads.add(call)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                used_paths = self.file_changes.add(call)
        return _alias_notes(used_paths, self.aliases)


# Puts together what adds the results of a trial's calls to its evidence.
#
# The *evidence* is what the trial has read and changed. An answer may say only what it supports.
# Each kind of call has its own class below, and all of them share the paths and texts of `workspace`:
#
#     read("/docs/fees.md")    `FileReads` adds the text `fee: 7`, at /docs/fees.md
#     write("/note.md", ...)   `_FileChanges` adds /note.md to the changed files
#     read("/note.md")         `FileReads` adds no proof, since the script wrote the file itself


def _new_call_results(tool_schema: ToolSchema, parts: EvidenceParts) -> _CallResults:
    """Return what adds the results of calls to `parts`, the evidence of a trial."""
    workspace = parts.workspace
    known_paths = workspace.known_paths
    texts = workspace.texts
    changes = parts.changes
    # Words that the scripts were given, such as those of the task, are not made up by them.
    unproven_words = UnprovenWords(workspace.words.given)
    tool_runs = ToolRuns(
        tool_schema=tool_schema,
        known_paths=known_paths,
        outputs=_ToolOutputs(tool_schema.executables, known_paths, texts),
        printed_files=_PrintedFiles(workspace),
        scripts=parts.scripts,
        changes=changes,
    )
    return _CallResults(
        server_results=ServerResults(known_paths, texts, unproven_words, changes),
        file_listings=FileListings(known_paths, texts),
        file_reads=FileReads(known_paths, texts, parts.scripts),
        file_changes=_FileChanges(known_paths, workspace.changed_files, changes.made),
        tool_runs=tool_runs,
        aliases=known_paths.aliases,
    )


# Adds the calls of a trial to its evidence, whether they succeeded or failed.
#
# An answer may only state what calls have shown. But a script could have a tool store a text, and
# read it back. So the log also learns the words that scripts pass to calls that may change something:
#
# | call | what is added |
# |---|---|
# | one that the environment does not declare | nothing: it is not known what its result means |
# | `write("/a.md", "fee is 7")` | the words `fee`, `is` and `7`, as the script's own, and a change |
# | `read("/c.md")`, which fails by `not_found` | there is no `/c.md` |
# | `total_fee("L-4") -> {"value": 21}` | the value of a function |
# | `read("/b.md") -> {"content": "late: 21"}` | a text that an answer may cite |


class _CallLog:
    """Adds the calls of one trial to its evidence."""

    def __init__(self, tool_schema: ToolSchema, parts: EvidenceParts) -> None:
        self._tool_schema = tool_schema
        self._parts = parts  # the evidence so far
        self._call_results = _new_call_results(tool_schema, parts)

    def add(self, record: CallRecord) -> tuple[str, ...]:
        """Add a call that has ended or was cut off. Return notes for the model."""
        declared = self._tool_schema.operation(record.operation)
        if declared is None:
            return ()
        arguments = CallArguments(declared, record.arguments)
        call = ReturnedCall(arguments, record.result or {}, record.shown_chars)
        if record.may_change:
            # Even a failed call may have stored these words. A later result proves none of them.
            self._parts.workspace.words.own.add(arguments.input_texts)
            self._parts.changes.has_changing_calls = True
        if record.error is not None:
            self._add_failure(call, record.error.code, may_change=record.may_change)
            return ()
        if record.result is None:
            return ()  # The call was cut off, so it has neither.
        if declared.is_function:
            # The calls that the function itself has made are added one by one.
            self._parts.function_results.add(
                record.operation, record.arguments, record.result
            )
            return ()
        return self._call_results.add(call)

    def _add_failure(self, call: ReturnedCall, code: str, *, may_change: bool) -> None:
        """Add a call that has failed with an error code. An answer cannot cite it."""
        if failure_of(code).is_environment_fault:
            self._parts.environment_has_failed = True
        known_paths = self._parts.workspace.known_paths
        _learn_from_failure(known_paths, call, code, may_change=may_change)


# A text in the form in which quotations are found in it: folded, and without blanks.
#
# Scripts quote JSON and prose in any spacing. So the quotation `fee:7` is found in `Fee: 7 EUR`:
#
#     text = BareText.of("Late return.\nFee: 7 EUR")
#     text.lines             -> ["latereturn.", "fee:7eur"]
#     text.line_of("fee:7")  -> 2


@dataclass(frozen=True, slots=True)
class _BareText:
    """A text in small letters, and without accents and blanks, in its lines."""

    lines: Sequence[str]

    @classmethod
    def of(cls, text: str) -> _BareText:
        """Return the bare form of a text: `a b: 1 200` -> `ab:1 200`.

        A blank between two digits stays, even between two lines, so that two numbers do not
        become one.
        """
        lines: list[str] = []
        word_before = ""  # It may be the last word of the line before.
        for line in text.split("\n"):
            bare_line = ""
            for word in fold_text(line).split():
                is_between_digits = word_before[-1:].isdigit() and word[0].isdigit()
                if is_between_digits:
                    bare_line += " "
                bare_line += word
                word_before = word
            lines.append(bare_line)
        return cls(lines)

    @property
    def joined(self) -> str:
        """All lines as one text, without line breaks."""
        return "".join(self.lines)

    def line_of(self, part: str) -> int | None:
        """Return the line, from 1, on which a bare text begins; None if it does not occur.

        It may run over several lines: in `["ab", "cd"]`, `bc` begins on line 1.
        """
        chars_before = self.joined.find(part)
        if chars_before < 0:
            return None
        number = 1
        for line in self.lines:
            chars_before -= len(line)
            if chars_before < 0:
                break  # The part begins on this line.
            number += 1
        return number


# Finds the file that a script cites, by a path in any spelling.
#
# An answer may only cite what was read, and by the path that listings show. After
# `read("/DOCS/fees.md")` has reached the listed file `/docs/fees.md`:
#
#     spelling_of("/DOCS/fees.md")         -> /docs/fees.md
#     spelling_of("/docs")                 -> ValueError: it is a folder
#     spelling_of("/docs/fee.md")          -> ValueError: it was not read (nearest: `/docs/fees.md`)
#     spelling_of("docs/fees.md#row=7")    -> /docs/fees.md#row=7

_MOST_COMPARED_PATHS: Final = 100
"""How many read paths are compared with a mistyped path, to suggest the nearest one."""


@dataclass(frozen=True, slots=True)
class _CitedFiles:
    """Finds the files that the scripts of one trial cite."""

    evidence: EvidenceCollector
    """Has what the trial has read so far (`view()`)."""
    cited_paths: CitedPaths
    """The path by which to cite each file that a call has reached."""

    def spelling_of(self, path: str) -> str:
        """Return a cited path as listings spell it, with its fragment, such as `#row=7`.

        Raises `ValueError`, with a message for the script, if the path is a folder, or was
        not read.
        """
        path = path.strip()
        # Most citations name a file by the path of a call, which is found at once. Only for the
        # others, such as `/docs/fees.md#row=7`, the evidence is needed. It takes long, because it
        # has to be collected anew after each call.
        spelling = self.cited_paths.path_if_reached(path)
        if spelling is not None:
            return spelling
        evidence = self.evidence.view()
        reference = evidence.find(path)
        if reference.is_directory:
            msg = f"{quote(path)} is a folder: cite the files in it that were read."
            raise ValueError(msg)
        if reference.access is None:
            raise ValueError(_message_of_unread(path, evidence))
        return reference.citation

    def texts_of(self, spelling: str) -> Sequence[SeenText]:
        """Return the texts that were read in a file, given in the spelling of listings."""
        access = self.evidence.view().find(spelling).access
        return () if access is None else access.seen


def _message_of_unread(path: str, evidence: Evidence) -> str:
    """Return the message that a cited path was not read. It names the most similar one that was."""
    near = nearest(path, islice(evidence.accesses, _MOST_COMPARED_PATHS))
    hint = f" (nearest that was read: {quote(near)})" if near else ""
    return f"{quote(path)} was not read in this trial{hint}: read it before citing it."


# A quotation of a cited file, in the form in which it is looked for in texts.
#
# A script cites `/docs/fees.md` with a quotation of some words of it. In the search, case, accents and
# blanks do not matter:
#
#     bare_quotation("Fee: 7 EUR")   -> fee:7eur, which occurs in the text `FEE:  7 eur per month`
#     bare_quotation("7")            -> ValueError: it is in almost any text

_MIN_QUOTATION_CHARS: Final = 3
"""The shortest quotation, in characters that are not blanks. Shorter ones occur in any text."""


def _bare_quotation(text: str) -> str:
    """Return a quotation as `_BareText` has it. Raises `ValueError` if it is too short or too long."""
    bare_text = _BareText.of(text).joined
    is_too_long = len(text) > bounds.MOST_QUOTATION_CHARS
    if is_too_long or len(bare_text) < _MIN_QUOTATION_CHARS:
        size = f"{_MIN_QUOTATION_CHARS} to {bounds.MOST_QUOTATION_CHARS} characters"
        msg = f"a quotation has {size}: {quote(text)}"
        raise ValueError(msg)
    return bare_text


# Whether a result may have a quotation only because it repeats what the script has passed.
#
# A script could search for `fee: 7`, and quote the result `nothing has fee: 7`. So a quotation counts
# only if enough of it is new. For a call that has passed the words `late fee`:
#
# | quotation | may be an echo | because |
# |---|---|---|
# | `Late fee` | yes | the script has passed all of it |
# | `7 EUR` | no | no word of it was passed |
# | `fee: 7` | yes | besides `fee`, only the `7` is new, and this is too short |
# | `fee: 7 EUR per month` | no | enough of it is new |

_MIN_NEW_CHARS: Final = 6
"""How many letters and digits of a quotation must be new if some of its words are not."""


def _may_be_echo(quotation: str, passed_text: str) -> bool:
    """Return True if a result may have a quotation only because its call has passed a text."""
    passed_all = _BareText.of(quotation).joined in _BareText.of(passed_text).joined
    if passed_all:
        return True

    passed_words = set(parts_of(fold_text(passed_text)))
    # Everyday words, such as `the`, tell nothing.
    words = {
        word for word in parts_of(fold_text(quotation)) if not is_boilerplate(word)
    }
    if words.isdisjoint(passed_words):
        return False
    new_chars = sum(len(word) for word in words - passed_words)
    return new_chars < _MIN_NEW_CHARS


# Why a text that has a quotation does not count: its words may be the script's own.
#
# A quotation proves that the environment's texts have its words. A script could fake this in two
# ways, for example for `fee: 7`:
#
#     it writes `fee: 7` to a file, and reads the file      -> Doubt.BY_SCRIPT
#     it searches for `fee: 7`, and the search answers
#     `no page has fee: 7`                                  -> Doubt.ECHO


class _Doubt(Enum):
    """Why a text that has a quotation does not count."""

    BY_SCRIPT = auto()
    """A script wrote the text, or a tool computed it from what the script passed."""
    ECHO = auto()
    """The text may only repeat words that the script passed to the call."""


def _doubt_about(quotation: str, seen: SeenText) -> _Doubt | None:
    """Return why a text does not count, although it has a quotation; None if it counts.

    SeenText("fee: 7", TextKind.OWN)                                 -> Doubt.BY_SCRIPT
    SeenText("no page has fee: 7", unproven_words="fee: 7")          -> Doubt.ECHO
    SeenText("fee: 7")                                               -> None
    """
    is_of_environment = seen.is_proof
    if not is_of_environment:
        return _Doubt.BY_SCRIPT
    words_of_script = seen.unproven_words  # which the text may only repeat
    if _may_be_echo(quotation, words_of_script):
        return _Doubt.ECHO
    return None


# What a script is told whose quotation does not count, and what it may do instead.
#
# message_of_failure("fee: 7", "/a.md", {Doubt.BY_SCRIPT})
#     -> "`fee: 7` was written or computed by a script, and not read: cite without a quotation."


def _message_of_failure(text: str, path: str, doubts: Collection[_Doubt]) -> str:
    """Return the message for a script whose quotation was not found, or only in doubtful texts.

    `doubts` are the reasons why texts with the quotation do not count; empty if no text has it.
    """
    if _Doubt.ECHO in doubts:
        # Words that some result had before the script passed them are not the script's own. So
        # another call, which passes only such words, may help.
        return (
            f"{quote(text)} may come from the call's own arguments: ask with words that were read before (of "
            "tables, list them first), quote a longer passage, or cite without a quotation."
        )
    if _Doubt.BY_SCRIPT in doubts:
        return f"{quote(text)} was written or computed by a script, and not read: cite without a quotation."
    return (
        f"{quote(text)} is not in what was read of {quote(path)}: quote it as it is written there (blanks "
        "and case aside), or cite without a quotation."
    )


# Looks for the quotations of citations in the texts that a trial has read.
#
# A script cites `/docs/fees.md` with a quotation, which must be in the text that a call has read
# there. The quotation does not count if the script supplied it: a script can write a file itself, or
# pass words to a tool that prints them.
#
#     line_of("Fee: 7 EUR", "/docs/fees.md", seen_texts)   -> 3, the line where it begins
#     line_of("Fee: 8 EUR", "/docs/fees.md", seen_texts)   -> ValueError: it is not in what was read

_UNKNOWN_LINE: Final = 0
"""Stands for a line that is not known. The first line of a text has the number 1."""


class _QuotationSearch:
    """Looks for the quotations of one trial in the texts that its calls have read.

    The texts of a trial may be long, so there is a limit on what is searched in all.
    """

    def __init__(self) -> None:
        self._room_chars = bounds.MOST_QUOTED_CHARS
        """How many more characters of texts may be searched."""

    def line_of(self, text: str, path: str, seen_texts: Iterable[SeenText]) -> int:
        """Return the line on which the quotation `text` begins, from 1.

        `seen_texts` were read at `path`. In an excerpt, which may begin on any line of its file,
        the line is `_UNKNOWN_LINE`. Raises `ValueError`, with a message for the script, if
        - the quotation is too short or too long,
        - no text has it, or only texts whose words may be the script's own, or
        - the trial has searched too much text.
        """
        quotation = _bare_quotation(text)
        doubts: set[_Doubt] = set()
        for seen in seen_texts:
            self._use_room(seen.text)
            line = _BareText.of(seen.text).line_of(quotation)
            if line is None:
                continue  # The text does not have the quotation.
            doubt = _doubt_about(text, seen)
            if doubt is None:
                return _UNKNOWN_LINE if seen.kind is TextKind.EXCERPT else line
            doubts.add(doubt)
        raise ValueError(_message_of_failure(text, path, doubts))

    def _use_room(self, text: str) -> None:
        """Count a text that is searched. Raises `ValueError` if it is too much in this trial."""
        self._room_chars -= len(text)
        if self._room_chars < 0:
            msg = "too much text was searched for quotations in this trial; cite without a quotation"
            raise ValueError(msg)


# Checks the citations of a trial's scripts.
#
# A script cites a file that a call has read, with a reason, or with a quotation from the text that
# the call returned. After `read("/docs/fees.md")` has returned three lines, of which the last is
# `Fee: 7 EUR`:
#
#     check("/docs/fees.md", "has the fee")                  -> CitedPlace("/docs/fees.md", line=0)
#     check("/DOCS/fees.md", "has the fee", "fee: 7 eur")    -> CitedPlace("/docs/fees.md", line=3)
#     check("/docs/loans.md", "has the fee")                 -> ValueError: it was not read


class CitedPlace(NamedTuple):
    """What an answer cites: a file, and a line of it."""

    spelling: str
    """The path as listings show it, `/docs/fees.md`; also with a fragment, `/docs/fees.md#row=7`, if
    the script has cited one."""
    line: int
    """The line on which the quotation begins, from 1; 0 without one, or if it is not known."""


@dataclass(frozen=True, slots=True)
class Citations:
    """Checks the citations of one trial."""

    cited_files: _CitedFiles
    """Finds the file that a script cites, and what was read of it."""
    quotation_search: _QuotationSearch = field(default_factory=_QuotationSearch)
    """Finds the line of a quotation."""

    def check(self, path: str, reason: str, quotation: str = "") -> CitedPlace:
        """Return the place that a script cites, by a path and a reason or a quotation.

        Raises `ValueError`, with a message for the script, if the file was not read, it does
        not have the quotation, or there is no quotation and the reason is too short.
        """
        if quotation:
            return self._place_of_quotation(path, quotation)
        fault = fault_of_reason(path, reason)
        if fault:
            raise ValueError(fault)
        spelling = self.cited_files.spelling_of(path)  # Raises if it was not read.
        return CitedPlace(spelling, _UNKNOWN_LINE)

    def _place_of_quotation(self, path: str, quotation: str) -> CitedPlace:
        """Return the place that is cited by a path and a quotation. The reason may be short."""
        spelling = self.cited_files.spelling_of(path)  # Raises if it was not read.
        read_texts = self.cited_files.texts_of(spelling)
        # Raises if no text has the quotation.
        line = self.quotation_search.line_of(quotation, spelling, read_texts)
        return CitedPlace(spelling, line)


class EvidenceLog:
    """The evidence of one trial. At most `most_text_bytes` of texts are kept; 0 for the default."""

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int = 0) -> None:
        self.tool_schema = tool_schema
        """The declared operations: what is learnt from a call depends on its declaration."""
        self._parts = EvidenceParts(tool_schema, most_text_bytes)
        self._workspace = self._parts.workspace
        self._collector = EvidenceCollector(self._parts)
        self._calls = _CallLog(tool_schema, self._parts)
        cited_files = _CitedFiles(self._collector, self._workspace.cited_paths)
        self.citations = Citations(cited_files)
        """Checks the citations of scripts. Those that are accepted come to `add_citation`."""

    def view(self) -> Evidence:
        """Return the evidence so far. Later calls do not change it."""
        return self._collector.view()

    def add_call(self, call: CallRecord) -> tuple[str, ...]:
        """Add a call with its outcome, and return notes on it for the model."""
        self._collector.invalidate()
        return self._calls.add(call)

    def add_function_result(
        self, function: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> None:
        """Add the value that a function of the benchmark returned. It may support an answer."""
        self._collector.invalidate()
        self._parts.function_results.add(function, arguments, result)

    def add_script(self, code: str, printed: str) -> None:
        """Add a script and its output so far."""
        self._collector.invalidate()
        self._parts.scripts.add(code, printed)

    def add_printed(self, text: str) -> None:
        """Add further output of the last script."""
        self._collector.invalidate()
        self._parts.scripts.add_printed(text)

    def add_citation(self, citation: Citation) -> None:
        """Add the quotation of a citation that was accepted, if it has one."""
        if citation.quote and citation.spelling:
            path = self.view().find(citation.spelling).path  # without a fragment
            self._parts.quotations.add(path, citation.quote)
            self._collector.invalidate()  # after `view`, which has collected the evidence

    def add_given_text(self, text: str) -> None:
        """Learn that scripts were given a text, such as the task. They have not made up its words."""
        self._workspace.words.given.add_text(text)

    def listed_path(self, path: str) -> str:
        """Return the path that listings show for a file: `/DOCS/loans.md` -> `/docs/Loans.md`."""
        return self._workspace.known_paths.aliases.path_to_cite(canonical(path))

    def is_own(self, path: str) -> bool:
        """Return True if the path may be of a file that the trial wrote: `/A.md` after `/a.md`."""
        return self._workspace.known_paths.is_own(canonical(path))
