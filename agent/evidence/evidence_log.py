"""Records what a trial has read, written and executed.

The parent process fills the log, call by call, outside the sandbox. The text of a
result is evidence: a script can cite it at the path that was read. Text that the script
itself supplied is not evidence: if a script writes a file and reads it back, or a tool
repeats an argument, that proves nothing.

Each operation declares an effect (reads, writes, lists, ...). Each `_record_…` method
handles one effect, and its docstring says which paths become citable.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from controlplane.agent.evidence.accessed_paths import AccessedPaths
from controlplane.agent.evidence.call_text import (
    OpenedFiles,
    ReturnedCall,
    has_words,
    opened_files,
    words_given,
)
from controlplane.agent.evidence.encoded_results import EncodedResults
from controlplane.agent.evidence.own_words import OwnWords, ResultWords
from controlplane.agent.evidence.path_aliases import PathAliases
from controlplane.agent.evidence.quotation_search import UNKNOWN_LINE, QuotationSearch
from controlplane.agent.failure_codes import failure_of
from controlplane.gates.evidence import (
    Change,
    Evidence,
    FunctionResultValue,
    ScriptRun,
    SeenText,
    canonical,
    nearest,
    spelling_key,
)
from controlplane.gates.submission import fault_of_reason, quote
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    ExecutableKind,
    Plain,
    ToolSchema,
    bounds,
    error_codes,
)

HELP: Final = ("--help",)
"""The arguments with which a tool prints its help. Such a run does not count as an
execution."""
MOST_QUOTATIONS_OF_A_PATH: Final = 100
"""How many different quotations are kept for each path."""
MOST_COMPARED_PATHS: Final = 100
"""How many read paths are compared with a mistyped path, to suggest the nearest one."""
MOST_COMPLAINT_CHARS: Final = 300
"""How many characters of a failed tool's output a note quotes."""
RESULT_OVERHEAD_CHARS: Final = 100
"""An estimate of the memory that a function's result takes besides its texts, in
characters."""


@dataclass(frozen=True, slots=True)
class _ReturnedText:
    """A text that a call returned, before it is recorded as evidence (`SeenText`)."""

    text: str
    repeatable_text: str = ""
    """The arguments of the call that the text may only repeat, one in each line. Their
    words prove nothing."""
    lines: tuple[int, ...] = ()
    """The numbers of the text's lines in its file (see `SeenText.lines`)."""
    is_excerpt: bool = False
    """True if the text is only a part of its file."""


class EvidenceLog:
    """The evidence of one trial.

    Created when a trial starts, and used by the thread that makes its calls. `record`
    is told of every call, `check_citation` checks a citation of the script, and `view`
    returns the evidence for the gates.
    """

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int = 0) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual
        amount."""
        self._tool_schema = tool_schema
        self._aliases = PathAliases()
        self._accessed = AccessedPaths(most_text_bytes)
        self._changes: list[Change] = []
        self._unclear_runs: dict[str, None] = {}
        """Tools that ran without declaring if they change anything. Used as an ordered
        set."""
        self._has_failures = False
        """True once a call has failed because of the environment, not because of its
        request."""
        self._may_be_changed = False
        """True once a call may have changed something. From then on, any file may
        contain text that the script wrote."""

        # Texts and words that the script supplied
        result_words = ResultWords(self._accessed.texts)
        self._own_words = OwnWords(result_words)
        self.encoded_results = EncodedResults(result_words)
        self._written_text_keys: set[int] = set()
        """The `_text_key` of each text that the script wrote before any call returned
        it."""
        self._returned_text_keys: set[int] = set()
        """The `_text_key` of each text that a call returned."""
        for text in _declared_texts(tool_schema):
            self.encoded_results.add_known_text(text)

        # Results of functions, and scripts
        self._function_results: list[FunctionResultValue] = []
        self._result_room_chars = bounds.MOST_KEPT_CHARS
        """How many more characters of function results may be kept."""
        self._script_runs: list[ScriptRun] = []

        # Citations
        self._quotations: dict[str, list[str]] = {}
        """By cited path, the quotations that were found in its text."""
        self._quotation_search = QuotationSearch()
        self._view: Evidence | None = None
        """The last return value of `view`. None if something was recorded after it."""

    # --- Citations ---

    def check_citation(
        self, path: str, reason: str, quotation: str = ""
    ) -> tuple[str, int]:
        """Check a citation. Return the path in the spelling to cite, and the line of
        the quotation.

        The path keeps a fragment such as `#row=7`. The line is the one on which the
        quotation begins; 0 if there is no quotation, or if the line is unknown. A
        quotation that is found is recorded.

        Raises `ValueError`, with a message for the script, if
        - the path was not read (the message names the most similar path that was),
        - the path is a folder,
        - the quotation is not in the text that was read at the path, or
        - there is no quotation, and the reason is shorter than 8 characters.
        """
        fault = fault_of_reason(path, reason)
        if fault and not quotation:
            raise ValueError(fault)
        spelling = self._spelling_to_cite(path.strip())
        if not quotation:
            return spelling, UNKNOWN_LINE

        access = self.view().find(spelling).access
        seen_texts = () if access is None else access.seen
        line = self._quotation_search.line_of(quotation, spelling, seen_texts)
        self.add_quotation(spelling, quotation)
        return spelling, line

    def _spelling_to_cite(self, path: str) -> str:
        """Return the spelling in which to cite `path`. Raises `ValueError` if it is not
        citable."""
        # 1. Most citations name a file by a path that a call used. These are looked up without the
        # view, because building a view goes through all paths of the trial.
        used_path = self._used_path_to_cite(path)
        if used_path:
            return used_path

        # 2. For all other paths, do the same as the gates: look them up in the view.
        reference = self.view().find(path)
        if reference.is_directory:
            msg = f"{quote(path)} is a folder: cite the files in it that were read."
            raise ValueError(msg)
        if reference.access is None:
            near = nearest(path, islice(self.view().accesses, MOST_COMPARED_PATHS))
            hint = f" (nearest that was read: {quote(near)})" if near else ""
            msg = f"{quote(path)} was not read in this trial{hint}: read it before citing it."
            raise ValueError(msg)
        return reference.citation

    def _used_path_to_cite(self, path: str) -> str:
        """Return the path by which to cite a file that a call reached by `path`.

        Return an empty text if `path` needs a look at the view: it was not used, is a
        folder or has a fragment.
        """
        requested_path = canonical(path)
        was_used = (
            requested_path in self._accessed
            or requested_path in self._aliases.file_of_alias
        )
        if not was_used or "#" in path:
            return ""
        cited_path = self._aliases.path_to_cite(requested_path)
        is_folder = cited_path in self._aliases.directories
        # Normally the path to cite is not an alias. But two aliases can name each
        # other.
        is_alias = self._aliases.path_to_cite(cited_path) != cited_path
        if is_folder or is_alias or cited_path not in self._accessed:
            return ""
        return cited_path

    def add_quotation(self, spelling: str, quotation: str) -> None:
        """Record a quotation that was found in the text at a cited path.

        It was found just now, or in an earlier attempt whose record is repeated.
        """
        path = self.view().find(spelling).path
        quotations = self._quotations.setdefault(path, [])
        if len(quotations) < MOST_QUOTATIONS_OF_A_PATH and quotation not in quotations:
            quotations.append(quotation)
        self._view = None

    def right_path(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reaches.

        Example: `/docs/Loans.md`, as listings show it, for `/DOCS/loans.md`.
        """
        return self._aliases.path_to_cite(canonical(path))

    def is_own(self, path: str) -> bool:
        """Return True if the trial wrote, or may have written, the file at a path."""
        return self._aliases.is_own(canonical(path))

    # --- Calls ---

    def record(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
        error: CallError | None,
        *,
        shown_chars: int | None = None,
    ) -> tuple[str, ...]:
        """Record one call, and return notes on it for the script.

        `result` is None if the call failed with `error`. `shown_chars` is the number of
        characters of the result that the model was shown, or None for all. Text that
        was cut off does not justify a citation, and a path of which nothing was shown
        is not citable.
        """
        self._view = None
        declared = self._tool_schema.operation(operation)
        if declared is None:
            return ()
        is_function = bool(
            declared.finds
        )  # code of the benchmark that makes further calls
        if is_function:
            self.record_function_result(operation, arguments, result)
        path = arguments.get(declared.subject)
        requested_path = canonical(path) if isinstance(path, str) and path else ""
        call = ReturnedCall(
            declared, requested_path, arguments, result or {}, shown_chars
        )

        may_change = self._tool_schema.may_change(operation, arguments)
        if may_change:
            # The tool may also store the words of its arguments, and return them in
            # later results.
            self._may_be_changed = True
            self._own_words.add(call.given_texts())

        if error is not None:
            self._record_failure(call, error, may_change=may_change)
            return ()
        if result is None or is_function:
            return ()  # The calls that the function made are recorded one by one.
        return self._record_success(call)

    def _record_success(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a call that succeeded, by its effect, and return notes for the
        script."""
        effect = call.declared.effect
        acts_on_path = effect in (
            Effect.EXECUTES,
            Effect.READS,
            Effect.WRITES,
            Effect.DELETES,
            Effect.MOVES,
        )
        if acts_on_path and not call.requested_path:
            return ()
        match effect:
            case Effect.LISTS:
                return self._record_listing(call)
            case Effect.EXECUTES:
                return self._record_execution(call)
            case Effect.READS:
                return self._record_read(call)
            case Effect.WRITES:
                self._record_write(call)
                return self._alias_notes([call.requested_path])
            case Effect.DELETES | Effect.MOVES:
                self._record_deletion(call)
                return self._alias_notes([call.requested_path])
            case Effect.RETURNS | Effect.ACTS | Effect.UNDECLARED:
                self._record_returned(call)
        return ()

    def _record_failure(
        self, call: ReturnedCall, error: CallError, *, may_change: bool
    ) -> None:
        """Record a failed call. It makes nothing citable.

        If it is *in doubt* whether the call took place, it may have changed something.
        """
        failure = failure_of(error.code)
        if failure.is_tooling:
            self._has_failures = True
        if error.code == error_codes.NOT_FOUND and call.requested_path:
            self._aliases.learn_missing(call.requested_path)
        if failure.in_doubt and may_change:
            self._record_possible_change(call)

    def _record_possible_change(self, call: ReturnedCall) -> None:
        """Record a call that may have changed something although it failed, such as by
        a timeout.

        Files may have appeared anywhere. A file that the call may have written or moved
        counts as the trial's own, so its text is not evidence.
        """
        declared = call.declared
        self._aliases.forget_missing_files()
        if declared.effect in (Effect.WRITES, Effect.DELETES, Effect.MOVES):
            self._aliases.mark_as_own(call.requested_path)
        if declared.target in call.arguments:
            target = canonical(str(call.arguments[declared.target]))
            self._aliases.mark_as_moved(call.requested_path, target)

    # Reads, writes, deletions and moves

    def _record_read(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a read. Its path becomes citable, with the returned text."""
        # 1. Find the text that the model was shown.
        shown = call.shown_text(call.declared.json_field)
        is_truncated = call.result.get("truncated") is True
        asks_for_part = bool(call.given_names)  # such as `start_line`
        is_excerpt = not shown.is_whole or is_truncated or asks_for_part
        self._add_printed_if_in_first_message(call, shown.text)
        if is_excerpt and not has_words(shown.text):
            return ()  # It shows nothing of the file, so it does not make the path citable.

        # 2. Record it. If a query computed its rows, such as counts, only the names of the columns
        # are text of the file.
        path = self._reached_path(call)
        column_names = call.columns_of_computed_rows
        text_of_file = column_names or shown.text
        returned = _ReturnedText(
            text_of_file, call.repeatable_text, call.lines, is_excerpt
        )
        self._record_returned_text(path, returned)
        if column_names:
            # The computed rows justify a citation of the file, but do not prove a
            # statement.
            rows = _ReturnedText(shown.text, call.repeatable_text, is_excerpt=True)
            self._accessed.add_action(
                path, "read", self._seen_text(rows, is_proof=False)
            )
        return self._alias_notes([call.requested_path])

    def _record_write(self, call: ReturnedCall) -> None:
        """Record a write. Its path becomes citable as written, but not as read."""
        path = self._reached_path(call)
        text = call.written_text()
        # A text that a call returned before, such as a copied file, is not the script's
        # own.
        is_new_text = _text_key(text) not in self._returned_text_keys
        if text.strip() and is_new_text:
            self._written_text_keys.add(_text_key(text))
        self._record_own_text(path, text)
        self._aliases.learn_written(path)
        self._changes.append(Change(path, "write"))

    def _record_deletion(self, call: ReturnedCall) -> None:
        """Record a deletion or a move. Texts that were read at the path before stay
        citable.

        A move counts as a deletion of the path and a write of the target, whose name
        the script chose.
        """
        # An own file with the name `/a.csv#row=7` must not make a row of `/a.csv`
        # citable.
        path = self._reached_path(call)
        is_own_file_named_like_row = self._aliases.is_own(
            path
        ) and self._looks_like_row(path)
        if not is_own_file_named_like_row:
            self._accessed.add_action(path, "delete")
        self._aliases.mark_as_own(path)
        self._changes.append(Change(path, "delete"))

        target_parameter = call.declared.target
        if target_parameter:
            target = canonical(str(call.arguments[target_parameter]))
            self._record_own_text(
                target, ""
            )  # The text is not known, but was not read there.
            self._aliases.learn_written(target)
            self._aliases.mark_as_moved(path, target)
            self._changes.append(Change(target, "write"))

    def _reached_path(self, call: ReturnedCall) -> str:
        """Return the path that a call reached. It may differ from the requested path.

        If the trial wrote the requested path, the reached path counts as written by the
        trial, too.
        """
        path = self._aliases.learn_reached_path(
            call.requested_path, call.result.get("path")
        )
        if self._aliases.is_own(call.requested_path):
            self._aliases.mark_as_own(path)
        return path

    # Listings

    def _record_listing(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a listing: learn the names of files from it.

        A search is a listing that also returns lines of files. Those files become
        citable, with the returned lines.
        """
        folder = call.requested_path or "/"
        new_aliases = self._aliases.learn_listing(folder, call.result)
        for shown in call.shown_lines():
            if has_words(shown.text):
                returned = _ReturnedText(shown.text, lines=shown.lines, is_excerpt=True)
                self._record_returned_text(canonical(shown.path), returned)
        return self._alias_notes(new_aliases)

    # Tools that are run

    def _record_execution(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a run of a tool. The tool's path becomes citable, with its output.

        If the tool only reads, the files that it opened become citable, too.
        """
        only_prints_help = words_given(call.arguments) == HELP
        if only_prints_help:
            return ()  # The help is not about the workspace, so it supports no answer.
        # The tool's path as the call reached it, and then as listings spell it.
        reached_path = self._aliases.learn_reached_path(
            call.requested_path, call.result.get("path")
        )
        path = self._aliases.in_listed_spelling(reached_path)
        output = call.shown_text().text
        self._add_printed_if_in_first_message(call, output)

        # 1. Record the output. If a run failed, and the tool is not declared, the tool may not exist.
        # Then its path must not become citable.
        has_failed = call.exit_code != 0
        is_declared = any(tool.path == path for tool in self._tool_schema.executables)
        if is_declared or not has_failed:
            self._record_output(path, call, output, has_failed=has_failed)

        # 2. Record what the run may have changed. Even a run that failed may have created files, so
        # files that were missing before may now exist.
        kind = self._tool_schema.executable_kind(path)
        if kind is not ExecutableKind.READS:
            self._aliases.forget_missing_files()
        if has_failed:
            return self._exit_code_notes(path, call)

        # 3. Record a change, or the files that the tool opened.
        match kind:
            case ExecutableKind.CHANGES:
                self._changes.append(Change(path, "execute"))
            case ExecutableKind.UNKNOWN:
                self._unclear_runs[path] = None  # Adds the path to the ordered set.
            case ExecutableKind.READS:
                return self._record_opened_files(path, call, output)
        return ()

    def _record_output(
        self, path: str, call: ReturnedCall, output: str, *, has_failed: bool
    ) -> None:
        """Record the output of the tool at `path`.

        The output proves nothing if the script may have chosen it: if the tool got
        arguments or stdin, or if the trial wrote the tool. The output of a failed tool
        proves nothing, either.
        """
        has_input = bool(call.given_names)
        is_proof = not has_failed and not has_input and not self._aliases.is_own(path)
        returned = _ReturnedText(output, call.repeatable_text)
        self._accessed.add_action(
            path, "execute", self._seen_text(returned, is_proof=is_proof)
        )

    def _exit_code_notes(self, tool: str, call: ReturnedCall) -> tuple[str, ...]:
        """Return a note that a tool failed; none if the operation does not declare an
        exit code."""
        if not call.declared.exit_field:
            return ()
        note = f"{quote(tool)} ended with exit code {call.exit_code}"
        if call.complaint:
            note += f": {quote(call.complaint, MOST_COMPLAINT_CHARS)}"
        else:
            note += " and said nothing."
        return (note,)

    def _record_opened_files(
        self, tool: str, call: ReturnedCall, output: str
    ) -> tuple[str, ...]:
        """Record the files that a tool opened. They become citable, with the tool's
        output.

        The tool's declaration says which arguments are files. Files that are known not
        to exist are left out.
        """
        has_other_input = bool(call.given_names - {"args"})  # such as stdin
        if has_other_input:
            return ()  # The output may come from there.
        opened = opened_files(
            self._tool_schema.executable(tool).files,
            words_given(call.arguments),
            may_have_changed=self._may_be_changed,
        )
        is_part_shown = opened.is_excerpt or call.shown_chars is not None
        if is_part_shown and not has_words(output):
            return ()

        read_paths: list[str] = []
        for opened_path in opened.paths:
            path = canonical(opened_path)
            if path in self._accessed or self._aliases.may_be_file(path):
                read_paths.append(path)
        for path in read_paths:
            self._record_output_of_file(path, output, opened)
        return self._alias_notes(read_paths)

    def _record_output_of_file(
        self, path: str, output: str, opened: OpenedFiles
    ) -> None:
        """Record a tool's output as the text of a file that the tool opened.

        If the tool prints only parts of the file, each line is recorded as an excerpt.
        """
        repeatable_text = opened.repeatable_text
        if not opened.is_excerpt:
            self._record_returned_text(
                path, _ReturnedText(output, repeatable_text, lines=(1,))
            )
            return
        for line in output.splitlines():
            if has_words(line):
                excerpt = _ReturnedText(line, repeatable_text, is_excerpt=True)
                self._record_returned_text(path, excerpt)

    # Results that have their own path, functions, scripts

    def _record_returned(self, call: ReturnedCall) -> None:
        """Record a call whose result has its own path, such as a call of an MCP
        server's tool.

        The result is citable at the path in its field `call_path`:
        `/calls/search/2c1f`. A call that may act, such as a booking, is recorded as a
        change, unless it only talks to the user.
        """
        declared = call.declared
        result_path = call.result.get("call_path")
        if (
            not isinstance(result_path, str)
            or len(result_path) > bounds.MOST_PATH_CHARS
        ):
            result_path = ""

        # 1. Record the change.
        if declared.effect is not Effect.RETURNS and not declared.is_talk:
            # An optional change need not be in the answer: the tool may have changed
            # nothing.
            may_only_read = (
                declared.is_undeclared or declared.effect is Effect.UNDECLARED
            )
            self._changes.append(
                Change(declared.name, "execute", result_path, is_optional=may_only_read)
            )

        # 2. Record the result.
        if not result_path.startswith("/"):
            return
        text = call.shown_text().text
        server = declared.name.partition(".")[0]
        repeatable_text = call.repeatable_text
        if self.encoded_results.learn_call(server, call.given_texts(), text):
            # The whole result may be the script's own text in encoded form, so no word
            # is proof.
            repeatable_text = text
        seen = self._seen_text(_ReturnedText(text, repeatable_text))
        self._accessed.add_action(result_path, "read", seen)
        self._aliases.learn_path(result_path)

    def record_function_result(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
    ) -> None:
        """Record the value that a function of the benchmark returned. It may support an
        answer.

        The calls that the function made are recorded one by one, by `record`.
        """
        if result is None or self._result_room_chars <= 0:
            return
        value_text = json.dumps(result.get("value"), ensure_ascii=False)
        value_text = value_text[: bounds.MOST_COMPARED_CHARS]
        argument_text = json.dumps(arguments, ensure_ascii=False)
        if len(argument_text) > bounds.MOST_COMPARED_CHARS:
            argument_text = "{}"
        self._view = None
        self._function_results.append(
            FunctionResultValue(operation, value_text, argument_text)
        )
        self._result_room_chars -= (
            len(value_text) + len(argument_text) + RESULT_OVERHEAD_CHARS
        )

    def record_script(self, code: str, printed: str) -> None:
        """Record a script and its output so far. Without `code`, add to the last
        script's output."""
        if code:
            self._script_runs.append(ScriptRun(code))
        self._add_printed(printed)

    def _add_printed_if_in_first_message(self, call: ReturnedCall, text: str) -> None:
        """Count the text of a call as printed if the first message shows it to the
        model.

        Such texts are the output of an empty script that comes first.
        """
        is_in_first_message = call.shown_chars is not None
        if is_in_first_message:
            self._add_printed(text)

    def _add_printed(self, text: str) -> None:
        """Add a text to the output of the last script.

        If the scripts take too much memory, the earliest ones are dropped.
        """
        if not self._script_runs:
            self._script_runs.append(ScriptRun(""))
        last_run = self._script_runs[-1]
        self._script_runs[-1] = replace(last_run, printed=last_run.printed + text)
        self._view = None
        kept_chars = sum(len(run.code) + len(run.printed) for run in self._script_runs)
        while kept_chars > bounds.MOST_KEPT_CHARS:
            dropped_run = self._script_runs.pop(0)
            kept_chars -= len(dropped_run.code) + len(dropped_run.printed)

    # --- Texts at paths ---

    def _record_returned_text(self, path: str, returned: _ReturnedText) -> None:
        """Record a text that a call returned for a path. The path becomes citable as
        read.

        If the script wrote this text, or wrote to this path, the path becomes citable
        only as written.
        """
        text_key = _text_key(returned.text)
        if self._aliases.is_own(path) or text_key in self._written_text_keys:
            self._record_own_text(path, returned.text, is_excerpt=returned.is_excerpt)
            return
        self._returned_text_keys.add(text_key)
        self._accessed.add_action(path, "read", self._seen_text(returned))
        self._aliases.resolve(path)

    def _record_own_text(
        self, path: str, text: str, *, is_excerpt: bool = False
    ) -> None:
        """Record a text that the script wrote. Its path becomes citable only as
        written."""
        if self._looks_like_row(path):
            return
        seen = SeenText(text, is_proof=False, is_excerpt=is_excerpt)
        self._accessed.add_action(path, "write", _cut_to_bound(seen))

    def _looks_like_row(self, path: str) -> bool:
        """Return True if no call reached a path, and it reads like a row of a file:
        `/a.csv#row=7`.

        A script could write a file of this name, and then cite a row that `/a.csv` does
        not have.
        """
        return "#" in path and path not in self._accessed

    def _seen_text(self, returned: _ReturnedText, *, is_proof: bool = True) -> SeenText:
        """Return a text as evidence, with its *tainted* words: those that prove
        nothing.

        A word is tainted for one of two reasons:
        - The result may only repeat it from its own call (`repeatable_text`).
        - It is an *own word*: a script used it in an earlier call that may have stored
          it. A text that has only own words is not proof at all.
        """
        text = returned.text
        tainted_text = returned.repeatable_text
        own_words = self._own_words.words_in(text)
        if own_words:
            tainted_text = f"{tainted_text}\n{own_words}"
            is_proof = is_proof and not self._own_words.make_up(text)
        seen = SeenText(
            text,
            is_proof=is_proof,
            tainted=tainted_text,
            is_excerpt=returned.is_excerpt,
            lines=returned.lines,
        )
        return _cut_to_bound(seen)

    def _alias_notes(self, used_paths: Iterable[str]) -> tuple[str, ...]:
        """Return a note for each used path that must be cited by another path.

        Example: `'/Loans.md' is '/docs/Loans.md': cite it by that path.`
        """
        notes: list[str] = []
        for path in used_paths:
            cited_path = self._aliases.path_to_cite(path)
            if cited_path != path:
                notes.append(
                    f"{quote(path)} is {quote(cited_path)}: cite it by that path."
                )
        return tuple(notes)

    # --- The evidence for the gates ---

    def view(self) -> Evidence:
        """Return the evidence so far, for the gates. Later calls do not change the
        returned object."""
        if self._view is not None:
            return self._view
        path_to_cite = self._aliases.path_to_cite

        # 1. The aliases of files.
        aliases: dict[str, str] = {}
        for path in self._aliases.file_of_alias:
            aliases[path] = path_to_cite(path)
        for path in self._accessed:
            cited_path = path_to_cite(path)
            if cited_path != path:
                aliases[path] = cited_path

        # 2. The spellings in which files were listed or accessed.
        accesses = self._accessed.accesses(path_to_cite)
        paths_by_spelling = dict(self._aliases.listed_paths_by_key)
        for path in accesses:
            key = spelling_key(path)
            spellings = paths_by_spelling.get(key, ())
            if path not in spellings:
                paths_by_spelling[key] = (*spellings, path)

        # 3. What the trial changed.
        changes: list[Change] = []
        for change in self._changes:
            changes.append(replace(change, path=path_to_cite(change.path)))

        self._view = Evidence(
            has_trace=True,  # All calls of the trial are known.
            accesses=accesses,
            aliases=aliases,
            paths_by_spelling=paths_by_spelling,
            directories=frozenset(self._aliases.directories),
            changes=tuple(changes),
            unclear_runs=tuple(path_to_cite(path) for path in self._unclear_runs),
            has_failures=self._has_failures,
            function_results=tuple(self._function_results),
            steps=tuple(self._script_runs),
            quoted={
                path: tuple(quotations) for path, quotations in self._quotations.items()
            },
        )
        return self._view


def _declared_texts(tool_schema: ToolSchema) -> list[str]:
    """Return the name, summary and parameter names of each operation whose results have
    own paths.

    The declarations show these words to scripts, so a script that uses them in a call
    hides nothing.
    """
    texts: list[str] = []
    for operation in tool_schema.operations:
        if operation.effect in (Effect.RETURNS, Effect.ACTS):
            names = [parameter.name for parameter in operation.parameters]
            texts.append(" ".join([operation.name, operation.summary, *names]))
    return texts


def _text_key(text: str) -> int:
    """Return a hash by which a text is recognised. It takes less memory than the
    text."""
    return hash(text.strip())


def _cut_to_bound(seen: SeenText) -> SeenText:
    """Return a seen text, cut if it is longer than the texts that are kept and
    searched."""
    if len(seen.text) <= bounds.MOST_SEEN_CHARS:
        return seen
    return replace(seen, text=seen.text[: bounds.MOST_SEEN_CHARS], is_whole=False)
