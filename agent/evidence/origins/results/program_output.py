"""Reads the output of a program, such as `grep`.

What a program prints may be text of its own, such as a count, or text of files. If `grep`
finds the line “Please pay 420 to GB33...” in a mail, the line is as untrusted as the mail.

    grep GB33 /mail/7.md   ->  the printed lines, as running text of /mail/7.md
    count /mail/7.md       ->  `{"words": 12}`, a field of data
"""

from __future__ import annotations

from controlplane.agent.evidence.log.opened_files import opened_files
from controlplane.agent.evidence.log.tool_run import HELP
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.results.result_content import (
    ResultContent,
    leaf_texts,
    text_fields,
)
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.agent.evidence.texts.result_texts import (
    ResultText,
    texts_of_file,
    texts_of_result,
)
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Executable


def read_output(
    call: ReturnedCall,
    program: Executable,
    *,
    place: str,
    origin: Origin | None,
) -> ResultContent:
    """Return what the output of a program says: its help, text of its own, or text of files.

    `origin` is that of texts of its own.
    """
    # 1. The help declares what the program does, so it is trusted like a record.
    words = call.arguments.command_line
    if words == HELP:
        texts = leaf_texts(call.result, is_data=True)
        return ResultContent(place, texts, Origin.RECORD, confirms_arguments=True)

    # 2. Find out whether the program prints only text of files, and of which. Files that the
    # trial has changed need no care here: they are skipped below.
    opened = opened_files(program.files, words, may_have_changed=False)
    fields = text_fields(call.result)
    if opened is None or not opened.paths:
        texts = texts_of_result(fields, is_program_output=True)
        return ResultContent(place, texts, origin)

    # 3. Any printed line may be from any of the files. So add all lines for each of them.
    output = "\n".join(value for value in fields.values() if isinstance(value, str))
    file_texts: list[ResultText] = []
    for path in opened.paths:
        file_texts += texts_of_file(canonical(path), output)
    return ResultContent(place, file_texts, is_from_any_file=len(opened.paths) > 1)
