"""The arguments of a call: what the script chose, and the texts in it.

A script could have a tool store a text or repeat it, and then cite it as found. So the texts of its
arguments are compared with results:

| call | property | value |
|---|---|---|
| `search(path="/docs", pattern=["café", 7], limit=10)` | `inputs` | `{"pattern": ["café", 7]}` |
| the same: the default of the limit is 10 | `input_texts` | `["café", "7"]` |
| `write(path="/a.md", content="fee: 7")` | `written_text` | `fee: 7` |
| `exec(path="/bin/cat", args=["-n", "/a.md"])` | `command_line` | `("-n", "/a.md")` |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.texts.forms import forms_of
from controlplane.sandbox.interface import Effect, Operation, Plain

# The texts, numbers and names in plain data, such as the arguments of a call.
#
# A script could pass a text to a tool, within a list or a mapping, and cite it from the result as
# found. So each text in the arguments is compared with the result: a repeated text proves nothing.


def texts_in(value: Plain) -> Iterator[str]:
    """Yield the texts, numbers and names in plain data: `{"fee": [7, "eur"]}` -> `fee`, `7`, `eur`.

    If all items are short, a tool may join them to a word, so this is yielded, too:
    `["v", "a", "t"]` -> `vat`, `v`, `a`, `t`.
    """
    items: list[Plain]
    if value is None:
        return
    if isinstance(value, dict):
        items = [*value, *value.values()]  # first the names, then the values
    elif isinstance(value, list):
        items = value
    else:
        yield str(value)
        return

    if len(items) > 1 and all(_may_be_part_of_word(item) for item in items):
        yield "".join(str(item) for item in items)
    for item in items:
        yield from texts_in(item)


def _may_be_part_of_word(item: Plain) -> bool:
    """Return True if an item of a list has at most two characters: `v`, `7`, `au`."""
    return isinstance(item, str | int) and len(str(item)) <= 2


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The arguments of one call."""

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
        return list(texts_in(list(self.inputs.values())))

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


# Finds which arguments of a call its result may merely echo.
#
# A script calls `search("/docs", pattern="fee is 7", limit=3)`, and the tool answers `no match for:
# fee is 7`. These words are an *echo* of the script's own. They do not prove that the fee is 7, so
# they do not count as evidence:
#
#     echoable_inputs(arguments)   -> ["fee is 7"], but not the 3: tools seldom repeat a limit
#     echoable_words(arguments)    -> "fee is 7", in every form in which a tool may print it

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
