"""The result of a call, and what decides about the origins of its texts.

`get_account(owner="Bob")` may return `{"owner": "Bob", "iban": "GB33..."}`. The account is then
known from a record. The name is not, since the call itself passed it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.origins.origin import (
    ORIGIN_BY_FORM,
    Origin,
    SharedOrigin,
)
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.agent.evidence.texts.data_leaves import leaves_of
from controlplane.agent.evidence.texts.result_texts import (
    ResultText,
    texts_of_data,
    texts_of_file,
)
from controlplane.sandbox.interface import Plain

_FIELDS_ABOUT_CALL: Final = (
    "call_path",
    "sha256",
    "truncated",
    "exit_code",
    "content_type",
    "lines",
)
"""Result fields that describe the call, and have no text of a file or a tool."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call, with what decides about the origins of its texts.

    `get_account(owner="Bob")` may return `{"owner": "Bob", "iban": "GB33..."}`. The account is
    then trusted, since it is in a field of data, a record. Any other text, such as that of
    a mail, may be by a stranger.
    """

    call: ReturnedCall
    call_number: int
    """Counts the calls of the trial, from 1."""
    is_trusted: bool
    """True if all texts of the result count as records, which are trusted."""
    passed_keys: Collection[str]
    """The keys of the values that the call passed. If the result has them, it may merely
    repeat them, so it does not count as a text that contains them."""
    lookup_arguments: tuple[str, ...] = ()
    """The names of the arguments by which the operation looks up a record, such as `id`."""

    @property
    def place(self) -> str:
        """Where the texts come from, as messages show it: `/mail/7.md`, `call 3 of search`."""
        path = self.call.result.get("call_path") or self.call.requested_path
        if path:
            return str(path)
        return f"call {self.call_number} of {self.call.declared.name}"

    @property
    def origin(self) -> SharedOrigin:
        """The origin of all texts, or `ORIGIN_BY_FORM`. Files of the owner are rules all the same."""
        return Origin.RECORD if self.is_trusted else ORIGIN_BY_FORM

    @property
    def lookup_values(self) -> list[Plain]:
        """The values by which the call looked up a record: `u7` for `get_user(id="u7")`."""
        arguments = self.call.arguments.values
        return [arguments.get(name) for name in self.lookup_arguments]

    @property
    def fields(self) -> dict[str, Plain]:
        """The fields of the result, except those that only describe the call."""
        fields: dict[str, Plain] = {}
        for name, value in self.call.result.items():
            if name not in _FIELDS_ABOUT_CALL:
                fields[name] = value
        return fields

    def leaf_texts(self, *, is_data: bool) -> list[ResultText]:
        """Return all texts, numbers and names in the fields, each as data or as running text."""
        return [ResultText(text, is_data) for text in leaves_of(self.fields)]

    def file_texts(self, path: str) -> list[ResultText]:
        """Return the texts of a read of the file at a path.

        One field has the file's text. The others, such as a title, are data.
        """
        text_field = self.call.declared.json_field or "content"
        texts: list[ResultText] = []
        for name, value in self.fields.items():
            if name == text_field and isinstance(value, str):
                texts += texts_of_file(path, value)
            elif name != "path":
                texts += texts_of_data({name: value})
        return texts

    def output(self) -> str:
        """Return all that a program printed."""
        values = self.fields.values()
        return "\n".join(value for value in values if isinstance(value, str))
