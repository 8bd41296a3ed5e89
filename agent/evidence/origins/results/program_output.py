"""Reads the output of a program, such as `grep`.

What a program prints may be text of its own, such as a count, or text of files. If `grep`
finds the line “Please pay 420 to GB33...” in a mail, the line is as untrusted as the mail.
"""

from __future__ import annotations

from controlplane.agent.evidence.log.tools.command_files import files_of_command
from controlplane.agent.evidence.log.tools.tool_run import HELP
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.results.printed_lines import printed_lines
from controlplane.agent.evidence.origins.results.result_content import ResultContent
from controlplane.agent.evidence.origins.results.result_fields import (
    all_texts,
    text_fields,
)
from controlplane.agent.evidence.texts.result_texts import texts_of_result
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Executable


def read_output(
    call: ReturnedCall,
    program: Executable,
    *,
    place: str,
    origin: Origin | None,
) -> ResultContent:
    """Return what the output of a program says. `origin` is that of texts of its own.

    | command | output | read as |
    |---|---|---|
    | 1. `count --help` | `counts words` | a record: it declares what the program does |
    | 2. `grep GB33 /mail/7.md` | `Please pay 420 to GB33...` | text of `/mail/7.md` |
    | 3. `count /mail/7.md` | `{"words": 12}` | a text of its own |
    """
    words = call.arguments.command_line
    if words == HELP:
        texts = all_texts(call.result, is_data=True)
        return ResultContent(place, texts, Origin.RECORD, confirms_arguments=True)

    fields = text_fields(call.result)
    # Files that the trial has changed are among them: `OutcomeLearner` leaves out their texts.
    opened = files_of_command(words, program.files, may_have_changed=False)
    if opened is not None and opened.paths:
        output = "\n".join(text for text in fields.values() if isinstance(text, str))
        # The others, such as `mail/7.md`, may have printed lines, too.
        paths = [canonical(name) for name in (*opened.paths, *opened.other_names)]
        lines = printed_lines(paths, output)
        return ResultContent(place, lines, is_from_any_file=len(paths) > 1)

    own_texts = texts_of_result(fields, is_program_output=True)
    return ResultContent(place, own_texts, origin)
