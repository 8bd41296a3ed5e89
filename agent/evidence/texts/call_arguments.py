"""The arguments of a call, and which of them its result may repeat.

A result may repeat arguments of its call. Repeated words prove nothing, even in another
form, such as decoded from base64. `text_forms.py` lists the forms.
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
"""The effects of calls whose results show files. `EXECUTES` runs a program, such as `grep`."""


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The arguments of one call."""

    declared: Operation
    """The declaration of the operation that is called."""
    values: Mapping[str, Plain]
    """All arguments by name: `{"path": "/a.md", "start_line": 3}`."""

    @property
    def given_names(self) -> list[str]:
        """The names of all arguments but the path and those with their default value, sorted."""
        defaults = {
            parameter.name: parameter.default for parameter in self.declared.parameters
        }
        names: list[str] = []
        for name, value in self.values.items():
            if name != self.declared.subject and value != defaults.get(name):
                names.append(name)
        return sorted(names)

    @property
    def given(self) -> list[Plain]:
        """The arguments with the `given_names`."""
        return [self.values[name] for name in self.given_names]

    def given_texts(self) -> list[str]:
        """Return the texts, numbers and names in the given arguments."""
        return list(leaves_of(self.given))

    @property
    def repeatable(self) -> list[Plain]:
        """The given arguments that may stand in the result because the call has them.

        A result that shows files can repeat only texts, such as the pattern of a search.
        It does not repeat numbers: after a read from line 3 on, a 3 is from the file.
        """
        if self.declared.effect not in _EFFECTS_THAT_SHOW_FILES:
            return self.given
        return [text for argument in self.given for text in _strings_in(argument)]

    @property
    def repeatable_text(self) -> str:
        """The `repeatable` arguments as one text: each in every spelling, one in each line.

        For the argument `caf\\u00e9`, two of the lines are `caf\\u00e9` and `café`.
        """
        forms: list[str] = []
        for text in leaves_of(self.repeatable):
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


def _strings_in(argument: Plain) -> list[Plain]:
    """Return an argument if it is a text, or the texts in it if it is a list."""
    items = argument if isinstance(argument, list) else [argument]
    return [item for item in items if isinstance(item, str)]
