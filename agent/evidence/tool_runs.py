"""Learns from calls that run a tool of the environment, such as `/bin/jq`."""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.call_text import ReturnedCall, has_words, words_given
from controlplane.agent.evidence.opened_files import OpenedFiles, opened_files
from controlplane.agent.evidence.path_texts import PathTexts
from controlplane.agent.evidence.script_runs import ScriptRuns
from controlplane.agent.evidence.trial_changes import TrialChanges
from controlplane.gates.evidence import Change, SeenText
from controlplane.gates.paths import canonical
from controlplane.gates.submission import quote
from controlplane.sandbox.interface import ExecutableKind, ToolSchema

HELP: Final = ("--help",)
"""The arguments with which a tool prints its help."""
MOST_COMPLAINT_CHARS: Final = 300
"""How many characters of a failed tool's output a note quotes."""


class ToolRuns:
    """Records the runs of tools. Created by the trial's `EvidenceLog`."""

    def __init__(
        self,
        tool_schema: ToolSchema,
        texts: PathTexts,
        changes: TrialChanges,
        scripts: ScriptRuns,
    ) -> None:
        self._tool_schema = tool_schema
        self._texts = texts
        self._aliases = texts.aliases
        self._changes = changes
        self._scripts = scripts

    def run(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a run, and return notes on it for the script.

        The tool's path becomes citable, with its output. If the tool only reads, so do
        the files that it opened.
        """
        if words_given(call.arguments) == HELP:
            return ()  # The help is not about the workspace, so it supports no answer.
        path = self._tool_path(call)
        output = call.shown_text().text
        if call.is_of_first_message:
            self._scripts.add_printed(output)
        has_failed = call.exit_code != 0
        self._add_output(path, call, output, has_failed=has_failed)

        kind = self._tool_schema.executable_kind(path)
        if kind is not ExecutableKind.READS:
            # Even a run that failed may have created files that were missing before.
            self._aliases.forget_missing_files()
        if has_failed:
            return _failure_notes(path, call)
        match kind:
            case ExecutableKind.CHANGES:
                self._changes.made.append(Change(path, "execute"))
            case ExecutableKind.UNKNOWN:
                self._changes.add_unclear_tool(path)
            case ExecutableKind.READS:
                return self._add_opened_files(path, call, output)
        return ()

    def _tool_path(self, call: ReturnedCall) -> str:
        """Return the path of the tool that a call reached, as listings spell it."""
        path = self._aliases.learn_reached_path(
            call.requested_path, call.result.get("path")
        )
        return self._aliases.listed.spelling_of(path)

    def _add_output(
        self, path: str, call: ReturnedCall, output: str, *, has_failed: bool
    ) -> None:
        """Add the output of a tool as a text at the tool's path.

        It proves nothing if the script may have chosen it: if the tool got arguments or
        stdin, or if the trial wrote the tool. The output of a failed run proves
        nothing, either.
        """
        is_declared = any(tool.path == path for tool in self._tool_schema.executables)
        if has_failed and not is_declared:
            return  # There may be no such tool, so its path must not become citable.
        has_input = bool(call.given_names)
        is_own_tool = self._aliases.is_own(path)
        seen = SeenText(
            output,
            is_proof=not (has_failed or has_input or is_own_tool),
            tainted=call.repeatable_text,
            lines=(),
        )
        self._texts.add(path, "execute", seen)

    def _add_opened_files(
        self, tool: str, call: ReturnedCall, output: str
    ) -> tuple[str, ...]:
        """Add the output of a tool as the text of the files that it opened.

        The tool's declaration says which arguments are files. Files that are known not
        to exist are left out.
        """
        has_other_input = bool(call.given_names - {"args"})  # such as stdin
        if has_other_input:
            return ()  # The output may come from there.
        opened = opened_files(
            self._tool_schema.executable(tool).files,
            words_given(call.arguments),
            may_have_changed=self._changes.may_exist,
        )
        is_part_shown = opened.is_excerpt or call.is_of_first_message
        if is_part_shown and not has_words(output):
            return ()

        paths: list[str] = []
        for opened_path in opened.paths:
            path = canonical(opened_path)
            if path in self._texts.accessed or self._aliases.may_be_file(path):
                paths.append(path)
        for path in paths:
            self._add_text_of_file(path, output, opened)
        return self._texts.alias_notes(paths)

    def _add_text_of_file(self, path: str, output: str, opened: OpenedFiles) -> None:
        """Add a tool's output as the text of one file.

        If the tool prints only parts of the file, each line is an excerpt.
        """
        tainted = opened.repeatable_text
        if not opened.is_excerpt:
            self._texts.add_file_text(path, SeenText(output, tainted=tainted))
            return
        for line in output.splitlines():
            if has_words(line):
                excerpt = SeenText(line, tainted=tainted, is_excerpt=True, lines=())
                self._texts.add_file_text(path, excerpt)


def _failure_notes(tool: str, call: ReturnedCall) -> tuple[str, ...]:
    """Return a note that a tool failed; none if the operation does not declare an exit
    code."""
    if not call.declared.exit_field:
        return ()
    note = f"{quote(tool)} ended with exit code {call.exit_code}"
    complaint = str(
        call.result.get("stderr") or call.result.get("stdout") or ""
    ).strip()
    if complaint:
        note += f": {quote(complaint, MOST_COMPLAINT_CHARS)}"
    else:
        note += " and said nothing."
    return (note,)
