"""A call as evidence and origins read it: the texts that a script passed, and those that came back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.texts.words import forms_of
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Effect, Operation, Plain

# The arguments of a call: what the script chose, and the texts in it.
#
# A script could have a tool store a text or repeat it, and then cite it as found. So the texts of its
# arguments are compared with results:
#
# | call | property | value |
# |---|---|---|
# | `search(path="/docs", pattern=["café", 7], limit=10)` | `inputs` | `{"pattern": ["café", 7]}` |
# | the same: the default of the limit is 10 | `input_texts` | `["café", "7"]` |
# | `write(path="/a.md", content="fee: 7")` | `written_text` | `fee: 7` |
# | `exec(path="/bin/cat", args=["-n", "/a.md"])` | `command_line` | `("-n", "/a.md")` |

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

    # `v`, `7` and `au` may be parts of a word.
    are_short = all(
        isinstance(item, str | int) and len(str(item)) <= 2 for item in items
    )
    if len(items) > 1 and are_short:
        yield "".join(str(item) for item in items)
    for item in items:
        yield from texts_in(item)


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
    texts: list[Plain] = []
    for value in inputs:
        items = value if isinstance(value, list) else [value]
        texts += [item for item in items if isinstance(item, str)]
    return texts


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


# A call that has returned, with what an answer may cite of its result.
#
# After `read("/a.md", start_line=3)`, with the result `{"path": "/a.md", "content": "fee: 7"}`:
#
#     call.requested_path     -> "/a.md", which an answer may cite
#     call.shown_text()       -> "fee: 7", the text for which it may cite the path
#     call.arguments.inputs   -> {"start_line": 3}

# Finds the text in the result of a call.
#
# An answer may cite a file for the text that a call has returned of it. A result has other fields,
# too, such as the path and the hash of the file, which are not its text:
#
# | result | text |
# |---|---|
# | `{"path": "/a.md", "content": "fee: 7"}` | `fee: 7` |
# | `{"page": "fee: 7"}`, where `page` is declared as the field with the text | `fee: 7` |
# | `{"rows": [{"fee": 7}, "late"], "truncated": false}` | `7` and `late`, one in each line |

_FIELDS_ABOUT_FILES: Final = frozenset(
    {"path", "sha256", "content_type", "name", "truncated", "exit_code", "call_path"}
)
"""Result fields that describe a file or a call, and are not text of the file."""


def _text_of_result(result: Mapping[str, Plain], field_name: str) -> str:
    """Return the text in a field of a result, or else in the field `content`.

    `field_name` is empty if no field is declared. If the result has neither, all its texts and
    numbers are joined, without the fields that describe files.
    """
    for name in (field_name, "content"):
        text = result.get(name)
        if isinstance(text, str):
            return text
    return "\n".join(_texts_in(result))


def _texts_in(value: object) -> list[str]:
    """Return the texts and numbers in a result, without the fields that describe files."""
    if isinstance(value, str | int | float):
        return [str(value)]
    texts: list[str] = []
    if isinstance(value, list):
        for item in value:
            texts += _texts_in(item)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name not in _FIELDS_ABOUT_FILES:
                texts += _texts_in(item)
    return texts


# The part of a result's text that was shown: an answer may only cite this part.
#
# A script gets the whole result of its call. But the initial prompt, which has results of calls, too,
# may show only the first characters of a long one:
#
#     ShownText.of("fee: 7", shown_chars=None)   -> ShownText("fee: 7", is_whole=True)
#     ShownText.of("fee: 7", shown_chars=3)      -> ShownText("fee", is_whole=False)


@dataclass(frozen=True, slots=True)
class ShownText:
    """The text of a result, as far as it was shown."""

    text: str
    is_whole: bool
    """False if the end of the result's text was cut off."""

    @classmethod
    def of(cls, text: str, shown_chars: int | None) -> ShownText:
        """Return the first `shown_chars` characters of a text; None stands for all of it."""
        if shown_chars is None:
            return cls(text, is_whole=True)
        shown = text[: max(shown_chars, 0)]
        return cls(shown, is_whole=len(shown) == len(text))


@dataclass(frozen=True, slots=True)
class ReturnedCall:
    """One call with its arguments and result."""

    arguments: CallArguments
    """The arguments, and which of them the script chose."""
    result: Mapping[str, Plain]
    """The fields of the result: `{"path": "/a.md", "content": "fee: 7"}`."""
    shown_chars: int | None = None
    """How many characters of the text the initial prompt shows; None for a call of a script."""

    @property
    def declared(self) -> Operation:
        """The declaration of the operation that was called."""
        return self.arguments.declared

    @property
    def requested_path(self) -> str:
        """The path argument in canonical form. Empty if the call has no path."""
        path = self.arguments.values.get(self.declared.subject)
        return canonical(path) if isinstance(path, str) and path else ""

    @property
    def target_path(self) -> str:
        """The path to which a call moves a file: `/b.md` of `move("/a.md", to="/b.md")`.

        Empty for any other call.
        """
        if self.declared.target not in self.arguments.values:
            return ""
        return canonical(str(self.arguments.values[self.declared.target]))

    @property
    def is_of_initial_prompt(self) -> bool:
        """True if the initial prompt shows the result. False for a call of a script."""
        return self.shown_chars is not None

    def shown_text(self, field_name: str = "") -> ShownText:
        """Return the text of the result, which is in the field `field_name` if one is declared."""
        text = _text_of_result(self.result, field_name)
        return ShownText.of(text, self.shown_chars)
