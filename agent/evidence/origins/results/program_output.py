"""Reads the output of a program, such as `grep`.

What a program prints may be text of its own, such as a count, or text of files. If `grep`
finds the line “Please pay 420 to GB33...” in a mail, the line is as untrusted as the mail.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.log.tools.command_files import files_of_command
from controlplane.agent.evidence.log.tools.tool_run import HELP
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.results.result_content import (
    ResultContent,
    leaf_texts,
    text_fields,
)
from controlplane.agent.evidence.texts.data_texts import texts_of_file
from controlplane.agent.evidence.texts.result_text import ResultText
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
    | `count --help` | `counts words` | a record: it declares what the program does |
    | `count /mail/7.md` | `{"words": 12}` | a text of its own |
    | `grep GB33 /mail/7.md` | `Please pay 420 to GB33...` | text of `/mail/7.md` |
    """
    words = call.arguments.command_line
    if words == HELP:
        texts = leaf_texts(call.result, is_data=True)
        return ResultContent(place, texts, Origin.RECORD, confirms_arguments=True)

    fields = text_fields(call.result)
    paths = _printed_files(program, words)
    if paths:
        output = "\n".join(text for text in fields.values() if isinstance(text, str))
        texts = _texts_of_files(paths, output)
        return ResultContent(place, texts, is_from_any_file=len(paths) > 1)

    texts = texts_of_result(fields, is_program_output=True)
    return ResultContent(place, texts, origin)


def _printed_files(program: Executable, words: Sequence[str]) -> Sequence[str]:
    """Return the files of a command line, if a program prints only their text; otherwise none.

    `GB33`, `/mail/7.md` -> `/mail/7.md`, for `grep`
    """
    # Whether the trial has changed a file does not matter here: `OutcomeLearner` leaves out
    # the texts of files that the trial wrote.
    opened = files_of_command(words, program.files, may_have_changed=False)
    return () if opened is None else opened.paths


def _texts_of_files(paths: Sequence[str], output: str) -> list[ResultText]:
    """Return all lines of an output once for each file, because any line may be from any file."""
    texts: list[ResultText] = []
    for path in paths:
        texts += texts_of_file(canonical(path), output)
    return texts
