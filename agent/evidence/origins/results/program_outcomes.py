"""Reads the output of a program, such as `grep`.

What a program prints may be text of its own, such as a count, or text of files. If `grep`
finds the line “Please pay 420 to GB33...” in a mail, the line is as untrusted as the mail.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.log.tools.command_files import files_of_command
from controlplane.agent.evidence.log.tools.tool_run import HELP
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.results.outcome import Outcome
from controlplane.agent.evidence.origins.results.printed_lines import printed_lines
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_fields import (
    all_texts,
    text_fields,
)
from controlplane.agent.evidence.origins.results.trial_files import Author, TrialFiles
from controlplane.agent.evidence.texts.result_texts import texts_of_result
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Executable


def outcome_of_program(
    call: ReceivedCall, program: Executable, files: TrialFiles
) -> Outcome:
    """Return what a run of a program has brought in.

    | command | output | counts as |
    |---|---|---|
    | `count --help` | `counts words` | a record: it declares what the program does |
    | `count /mail/7.md` | `{"words": 12}` | text of the program |
    | `grep GB33 /mail/7.md` | `Please pay 420 to GB33...` | text of `/mail/7.md` |
    """
    words = call.arguments.command_line
    result = call.result
    if words == HELP:
        return Outcome(call.place, all_texts(result, is_data=True), Origin.RECORD)

    fields = text_fields(result)
    paths = _printed_paths(words, program)
    if not paths:
        # Values that the call passed to the program have no origin here: it may only echo them.
        own_texts = texts_of_result(fields, is_program_output=True)
        return Outcome(call.place, own_texts, call.origin, call.passed_keys)

    output = "\n".join(text for text in fields.values() if isinstance(text, str))
    owner_paths = {path for path in paths if files.author_of(path) is Author.OWNER}
    lines = printed_lines(paths, output, owner_paths=owner_paths)
    return Outcome(call.place, lines, passed_keys=call.passed_keys)


def _printed_paths(words: Sequence[str], program: Executable) -> list[str]:
    """Return the files whose lines a program prints. Empty if it prints text of its own."""
    opened = files_of_command(words, program.files)
    if opened is None or not opened.paths:
        return []
    # A word without a leading slash, such as `mail/7.md`, may name a file, too.
    return [canonical(name) for name in (*opened.paths, *opened.other_names)]
