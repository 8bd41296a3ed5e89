"""The arguments of a call, and which of their words its result may only repeat.

A script calls `search("fee is 7")`, and the tool answers `no match for: fee is 7`. This
result does not prove that the fee is 7: the words are the script's. So the words of the
arguments are collected, and do not count as evidence if the result has them.
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
    """The arguments of one call."""

    declared: Operation
    """The declaration of the operation that is called."""
    values: Mapping[str, Plain]
    """All arguments by name: `{"path": "/a.md", "start_line": 3}`."""

    @property
    def inputs(self) -> dict[str, Plain]:
        """What the script chose beside the path, sorted by name.

        Arguments with their default value are left out. So `search` with the arguments
        `{"path": "/docs", "pattern": "fee", "limit": 10}` has the input
        `{"pattern": "fee"}`, if the limit is 10 by default.
        """
        defaults = {
            parameter.name: parameter.default for parameter in self.declared.parameters
        }
        path_name = self.declared.subject  # The name of the argument that has the path.
        inputs: dict[str, Plain] = {}
        for name in sorted(self.values):
            value = self.values[name]
            if name != path_name and value != defaults.get(name):
                inputs[name] = value
        return inputs

    def input_texts(self) -> list[str]:
        """Return the texts, numbers and names in the inputs, each by itself."""
        return list(leaves_of(list(self.inputs.values())))

    @property
    def repeatable_inputs(self) -> list[Plain]:
        """The inputs that the result may only repeat.

        A result that shows files can repeat texts, such as the pattern of a search. It does
        not repeat numbers: after a read from line 3 on, a 3 in the text is from the file.
        """
        inputs = list(self.inputs.values())
        if self.declared.effect not in _EFFECTS_THAT_SHOW_FILES:
            return inputs
        return [text for value in inputs for text in _strings_in(value)]

    @property
    def script_words(self) -> str:
        """The words that the result may only repeat, one input in each line.

        A tool may return them in another form, so each line comes in every form: for the
        input `caf\\u00e9`, two of the lines are `caf\\u00e9` and `café`.
        """
        forms: list[str] = []
        for text in leaves_of(self.repeatable_inputs):
            forms.extend(forms_of(text))
        distinct_forms = dict.fromkeys(forms)  # in their order, each once
        return "\n".join(distinct_forms)

    def written_text(self) -> str:
        """Return the text that a call writes: all its text arguments but the path."""
        texts: list[str] = []
        for name, value in self.values.items():
            if name != self.declared.subject and isinstance(value, str):
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
