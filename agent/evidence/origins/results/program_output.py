"""Adds the output of programs, such as `grep`, to what a trial knows of origins.

What a program prints may be text of its own, such as a count, or text of files. If `grep`
finds the line “Please pay 420 to GB33...” in a mail, the line is as untrusted as the mail.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.log.opened_files import opened_files
from controlplane.agent.evidence.log.tool_run import HELP
from controlplane.agent.evidence.origins.origin import ORIGIN_BY_FORM, Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.authored_texts import AuthoredTexts
from controlplane.agent.evidence.origins.results.call_result import CallResult
from controlplane.agent.evidence.texts.result_texts import (
    texts_of_file,
    texts_of_result,
)
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """Adds the output of the programs that one trial has run."""

    tool_schema: ToolSchema
    evidence_log: EvidenceLog
    """Knows which files the trial has written itself."""
    provenance: Provenance
    """What the trial knows of origins."""
    authored_texts: AuthoredTexts
    """Adds texts to `provenance` by the authors of their files."""

    def add(self, result: CallResult) -> None:
        """Add the output of a program: its help, text of its own, or text of files."""
        # 1. The help declares what the program does, so it is trusted like a record.
        words = result.call.arguments.command_line
        if words == HELP:
            help_texts = result.leaf_texts(is_data=True)
            self.provenance.add(result.place, help_texts, Origin.RECORD)
            return

        # 2. Find out whether the program prints only text of files, and of which. Files that
        # the trial has changed need no care here: they are skipped below.
        program = self.tool_schema.executable(result.call.requested_path)
        opened = opened_files(program.files, words, may_have_changed=False)

        # 3. If not, the output is text of its own.
        if not opened.paths:
            own_texts = texts_of_result(result.fields, is_program_output=True)
            self.authored_texts.add(result, own_texts, origin=result.origin)
            return

        # 4. If so, any line may be from any of the files. So add all lines for each of them.
        for path in opened.paths:
            if self.evidence_log.is_own(path):
                continue
            lines = texts_of_file(canonical(path), result.output())
            self.authored_texts.add(result, lines, origin=ORIGIN_BY_FORM, place=path)
