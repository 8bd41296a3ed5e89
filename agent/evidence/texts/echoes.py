"""Finds which arguments of a call its result may merely echo.

A script calls `search("/docs", pattern="fee is 7", limit=3)`, and the tool answers `no match for:
fee is 7`. These words are an *echo* of the script's own. They do not prove that the fee is 7, so
they do not count as evidence:

    echoable_inputs(arguments)   -> ["fee is 7"], but not the 3: tools seldom repeat a limit
    echoable_words(arguments)    -> "fee is 7", in every form in which a tool may print it
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.texts.call_arguments import CallArguments
from controlplane.agent.evidence.texts.forms.text_forms import forms_of
from controlplane.agent.evidence.texts.plain_texts import texts_in
from controlplane.sandbox.interface import Effect, Plain

_EFFECTS_THAT_SHOW_FILES: Final = frozenset(
    {Effect.READS, Effect.LISTS, Effect.EXECUTES}
)
"""The effects of operations whose results show files. `EXECUTES` runs a program: `grep`."""


def echoable_inputs(arguments: CallArguments) -> list[Plain]:
    """Return the inputs of a call that its result may echo. For most operations, these are all.

    A result that shows files may echo texts, such as the pattern of a search: `["fee is 7"]`. It
    does not echo numbers: after a read from line 3 on, a 3 in the text is from the file.
    """
    inputs = list(arguments.inputs.values())
    if arguments.declared.effect not in _EFFECTS_THAT_SHOW_FILES:
        return inputs
    return [text for value in inputs for text in _strings_in(value)]


def echoable_words(arguments: CallArguments) -> str:
    """Return the texts in these inputs, in every form in which a tool may echo them.

    There is one in each line. For `café`, a line `"caf\\u00e9"` is among them: a tool may return
    it as JSON.
    """
    forms: list[str] = []
    for text in texts_in(echoable_inputs(arguments)):
        forms.extend(forms_of(text))
    distinct_forms = dict.fromkeys(forms)  # in their order, each once
    return "\n".join(distinct_forms)


def _strings_in(value: Plain) -> list[Plain]:
    """Return a value if it is a text, or the texts in it if it is a list."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str)]
