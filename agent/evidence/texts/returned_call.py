"""A call that has returned, with what an answer may cite of its result.

After `read("/a.md", start_line=3)`, with the result `{"path": "/a.md", "content": "fee: 7"}`:

    call.requested_path     -> "/a.md", which an answer may cite
    call.shown_text()       -> "fee: 7", the text for which it may cite the path
    call.arguments.inputs   -> {"start_line": 3}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.texts.call_arguments import CallArguments
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Operation, Plain

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
