"""The arguments of a call, and which of them its result may merely echo.

A script calls `search("fee is 7")`, and the tool answers `no match for: fee is 7`. The words
`fee is 7` in the answer are an *echo* of the script's own. They do not prove that the fee is
7, so they do not count as evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.texts.data_leaves import leaves_of
from controlplane.agent.evidence.texts.text_forms import forms_of
from controlplane.sandbox.interface import Effect, Operation, Plain

_EFFECTS_THAT_SHOW_FILES: Final = frozenset(
    {Effect.READS, Effect.LISTS, Effect.EXECUTES}
)
"""The effects of operations whose results show files. `EXECUTES` runs a program: `grep`."""


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The arguments of one call, and the texts that may be the script's own.

    For `search(path="/docs", pattern=["café", 7], limit=10)`, where the limit is the default:

    | property | value | these are |
    |---|---|---|
    | `inputs` | `{"pattern": ["café", 7]}` | the arguments that the script chose |
    | `input_texts` | `["café", "7"]` | the texts in them: a tool may store them |
    | `echoable_inputs` | `["café"]` | those that a search may echo: `no match for: café` |
    | `script_words` | `café`, `"caf\\u00e9"` | the same, in every form in which it may do so |
    """

    declared: Operation
    """The declaration of the operation that is called."""
    values: Mapping[str, Plain]
    """All arguments by name: `{"path": "/docs", "pattern": ["café", 7], "limit": 10}`."""

    @property
    def inputs(self) -> dict[str, Plain]:
        """What the script chose, sorted by name: not the path, and no default value."""
        defaults = {
            parameter.name: parameter.default for parameter in self.declared.parameters
        }
        path_name = self.declared.subject  # the name of the argument that has the path
        inputs: dict[str, Plain] = {}
        for name in sorted(self.values):
            value = self.values[name]
            if name != path_name and value != defaults.get(name):
                inputs[name] = value
        return inputs

    @property
    def input_texts(self) -> list[str]:
        """The texts, numbers and names in the inputs, each by itself."""
        return list(leaves_of(list(self.inputs.values())))

    @property
    def echoable_inputs(self) -> list[Plain]:
        """The inputs that the result may echo. For most operations, these are all.

        A result that shows files may echo texts, such as the pattern of a search. It does
        not echo numbers: after a read from line 3 on, a 3 in the text is from the file.
        """
        inputs = list(self.inputs.values())
        if self.declared.effect not in _EFFECTS_THAT_SHOW_FILES:
            return inputs
        return [text for value in inputs for text in _strings_in(value)]

    @property
    def script_words(self) -> str:
        """The words of the script that the result may echo, in every form, one in each line.

        A tool may return `café` as `"caf\\u00e9"`, so this line is among them.
        """
        forms: list[str] = []
        for text in leaves_of(self.echoable_inputs):
            forms.extend(forms_of(text))
        distinct_forms = dict.fromkeys(forms)  # in their order, each once
        return "\n".join(distinct_forms)

    @property
    def written_text(self) -> str:
        """The text that a call writes to a file: all its text arguments but the path."""
        path_name = self.declared.subject
        texts: list[str] = []
        for name, value in self.values.items():
            if name != path_name and isinstance(value, str):
                texts.append(value)
        return "\n".join(texts)

    @property
    def command_line(self) -> tuple[str, ...]:
        """The words after a tool's path: `-n`, `/a.md` for `{"args": ["-n", "/a.md"]}`."""
        words = self.values.get("args")
        if not isinstance(words, list):
            return ()
        return tuple(str(word) for word in words)


def _strings_in(value: Plain) -> list[Plain]:
    """Return a value if it is a text, or the texts in it if it is a list."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str)]
