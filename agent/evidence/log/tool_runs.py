"""Learns from calls that run a tool of the environment, such as `/bin/jq`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.log.opened_files import OpenedFiles, opened_files
from controlplane.agent.evidence.log.script_runs import ScriptRuns
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.call_text import (
    ReturnedCall,
    has_words,
    words_given,
)
from controlplane.gates.accesses import SeenText
from controlplane.gates.changes import Change
from controlplane.gates.paths import canonical
from controlplane.gates.submission import quote
from controlplane.sandbox.interface import ExecutableKind, ToolSchema

HELP: Final = ("--help",)
"""The arguments with which a tool prints its help."""
MOST_COMPLAINT_CHARS: Final = 300
"""How many characters of a failed tool's output a note quotes."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One run of a tool."""

    path: str
    """The tool's path, as listings spell it."""
    call: ReturnedCall
    """The call that ran the tool, with its result."""
    output: str
    """The part of its output that the model was shown."""

    @property
    def has_failed(self) -> bool:
        """True if the tool ended with an exit code that is not 0."""
        return self.call.exit_code != 0

    @property
    def has_input(self) -> bool:
        """True if the script gave it arguments or stdin."""
        return bool(self.call.given_names)

    @property
    def has_input_beside_arguments(self) -> bool:
        """True if the script gave it stdin, for example."""
        return bool(self.call.given_names - {"args"})

    def failure_notes(self) -> tuple[str, ...]:
        """Return a note that the tool failed; none if no exit code is declared."""
        if not self.call.declared.exit_field:
            return ()
        note = f"{quote(self.path)} ended with exit code {self.call.exit_code}"
        result = self.call.result
        complaint = str(result.get("stderr") or result.get("stdout") or "").strip()
        if complaint:
            note += f": {quote(complaint, MOST_COMPLAINT_CHARS)}"
        else:
            note += " and said nothing."
        return (note,)


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
        """Knows which paths mean the same file, and which files the trial wrote."""
        self._changes = changes
        self._scripts = scripts

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a run, and return notes on it for the model.

        An answer may then cite the tool's path, with its output. If the tool only reads,
        the answer may also cite the files that the tool opened.
        """
        if words_given(call.arguments) == HELP:
            return ()  # The help is not about the workspace, so it supports no answer.
        run = self._run_of(call)
        if call.is_of_first_message:
            # The initial prompt shows the output, so it counts as printed.
            self._scripts.add_printed(run.output)
        self._add_output(run)

        kind = self._tool_schema.executable_kind(run.path)
        if kind is not ExecutableKind.READS:
            # Even a run that failed may have created files that were missing before.
            self._aliases.forget_missing_files()
        if run.has_failed:
            return run.failure_notes()
        match kind:
            case ExecutableKind.CHANGES:
                self._changes.made.append(Change(run.path, "execute"))
            case ExecutableKind.UNKNOWN:
                # It is unclear if the tool changes anything.
                self._changes.add_unclear_tool(run.path)
            case ExecutableKind.READS:
                return self._add_opened_files(run)
        return ()

    def _run_of(self, call: ReturnedCall) -> ToolRun:
        """Return a call as a run of the tool that it reached, by the tool's listed path."""
        result_path = call.result.get("path")
        path = self._aliases.learn_reached_path(call.requested_path, result_path)
        listed_path = self._aliases.listed.spelling_of(path)
        return ToolRun(listed_path, call, call.shown_text().text)

    def _add_output(self, run: ToolRun) -> None:
        """Add the output of a tool as a text at the tool's path.

        It proves nothing if the script may have chosen it, or if the run failed.
        """
        declared_paths = [tool.path for tool in self._tool_schema.executables]
        if run.has_failed and run.path not in declared_paths:
            return  # There may be no such tool, so its path must not become citable.
        may_be_chosen = run.has_input or self._aliases.is_own(run.path)
        seen = SeenText(
            run.output,
            is_proof=not run.has_failed and not may_be_chosen,
            tainted=run.call.repeatable_text,  # It may only repeat these arguments.
            lines=(),  # The output is not known to have lines of a file.
        )
        self._texts.add(run.path, "execute", seen)

    def _add_opened_files(self, run: ToolRun) -> tuple[str, ...]:
        """Add the output of a tool as the text of the files that it opened.

        The tool's declaration says which arguments are files. Files that are known not
        to exist are left out.
        """
        if run.has_input_beside_arguments:
            return ()  # The output may come from stdin, which the script wrote.
        opened = opened_files(
            self._tool_schema.executable(run.path).files,
            words_given(run.call.arguments),
            may_have_changed=self._changes.may_exist,
        )
        is_part_shown = opened.is_excerpt or run.call.is_of_first_message
        if is_part_shown and not has_words(run.output):
            return ()  # Without a letter or digit, a part shows nothing of a file.

        paths = [path for path in map(canonical, opened.paths) if self._may_exist(path)]
        for path in paths:
            self._add_text_of_file(path, run.output, opened)
        return self._texts.alias_notes(paths)

    def _may_exist(self, path: str) -> bool:
        """Return True unless it is known that a path is not a file."""
        return path in self._texts.accessed or self._aliases.may_be_file(path)

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
