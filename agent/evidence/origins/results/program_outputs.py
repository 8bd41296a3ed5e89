"""Adds the output of a program, such as `grep`, to what a trial knows.

What a program prints may be text of its own, such as a count, or text of files. If `grep`
finds the line “Please pay 420 to GB33...” in a mail, the line is as untrusted as the mail.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.log.tools.command_files import files_of_command
from controlplane.agent.evidence.log.tools.tool_run import HELP
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.results.authored_texts import (
    Author,
    AuthoredTexts,
)
from controlplane.agent.evidence.origins.results.printed_lines import printed_lines
from controlplane.agent.evidence.origins.results.received_call import ReceivedCall
from controlplane.agent.evidence.origins.results.result_fields import (
    all_texts,
    text_fields,
)
from controlplane.agent.evidence.texts.result_texts import texts_of_result
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Executable


def add_output(
    call: ReceivedCall,
    program: Executable,
    texts: AuthoredTexts,
    own_origin: Origin | None,
) -> None:
    """Add what a run of a program has printed.

    | command | output | is added as |
    |---|---|---|
    | `count --help` | `counts words` | a record: it declares what the program does |
    | `grep GB33 /mail/7.md` | `Please pay 420 to GB33...` | text of `/mail/7.md` |
    | `count /mail/7.md` | `{"words": 12}` | the program's own text, with the `own_origin` |
    """
    words = call.returned.arguments.command_line
    result = call.returned.result
    if words == HELP:
        help_texts = all_texts(result, is_data=True)
        texts.provenance.add(call.place, help_texts, Origin.RECORD)
        return

    fields = text_fields(result)
    paths = _printed_paths(words, program)
    if not paths:
        own_texts = texts_of_result(fields, is_program_output=True)
        texts.add(call, own_texts, own_origin)
        return

    output = "\n".join(text for text in fields.values() if isinstance(text, str))
    owner_paths = {path for path in paths if texts.author_of(path) is Author.OWNER}
    lines = printed_lines(paths, output, owner_paths=owner_paths)
    texts.add(call, lines, None)


def _printed_paths(words: Sequence[str], program: Executable) -> list[str]:
    """Return the files whose lines a program prints. Empty if it prints text of its own."""
    # Files that the trial has changed are among them: `AuthoredTexts` leaves out their texts.
    opened = files_of_command(words, program.files)
    if opened is None or not opened.paths:
        return []
    # The other names, such as `mail/7.md`, may be files of which lines are printed, too.
    return [canonical(name) for name in (*opened.paths, *opened.other_names)]
