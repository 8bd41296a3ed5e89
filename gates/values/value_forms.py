"""A form is one way to write a value: a pattern, and a function that reads a match.

    MAILS = Form(Kind.MAIL, r"\\S+@\\S+", read_mail)
    MAILS.values_in("Ask Ada@Example.org", style, 12)     # the value `ada@example.org`

Patterns run on RE2, so the time for a text is linear in its length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import re2

from controlplane.gates.values.number_style import NumberStyle
from controlplane.gates.values.spans import Span, stands_alone
from controlplane.gates.values.value_kinds import Kind, WrittenValue

Reader: TypeAlias = Callable[[Span], list[WrittenValue]]
"""Returns the values of a match, or an empty list if the match turns out to be something else."""
_GROUP_NAME: Final = re2.compile(r"\(\?P<\w+>")
"""The start of a named group in a pattern: `(?P<year>`."""


@dataclass(frozen=True)
class Form:
    """One way to write a value."""

    kind: Kind
    pattern: str
    read: Reader
    is_alone: bool = False
    """True if a match counts only when no letter or digit touches it: not the `½` of `A½`.

    If it is False, `pattern` or `read` checks what touches the match.
    """
    joining_marks: str = ""
    """If `is_alone`, marks that must not stand between the match and a digit.

    With `.`, the date `12.03.2026` does not count in `1.12.03.2026`.
    """

    @cached_property
    def regexp(self) -> re2._Regexp:
        """The compiled pattern."""
        return re2.compile(self.pattern)

    def values_in(
        self, text: str, style: NumberStyle, max_values: int
    ) -> list[WrittenValue]:
        """Return the values of a text that are written in this form.

        `style` says how the text writes ambiguous numbers, such as `1.199`. A match may hold
        several values, so there may be a few more than `max_values`.
        """
        values: list[WrittenValue] = []
        for match in self.regexp.finditer(text):
            span = Span(match, style)
            if self.is_alone and not stands_alone(span, self.joining_marks):
                continue
            values += self.read(span)
            if len(values) >= max_values:
                break
        return values


@dataclass(frozen=True)
class FormGroup:
    """Forms that are searched for one after another, but only in a text that has one of them.

    This saves time with the many forms of dates and times: a single search, for any of
    them, shows that most texts have none.
    """

    forms: Sequence[Form]

    def is_in(self, text: str) -> bool:
        """Return True if a text may have a value in one of the forms."""
        return len(self.forms) == 1 or self._any_form.search(text) is not None

    @cached_property
    def _any_form(self) -> re2._Regexp:
        """Matches what any of the forms matches.

        The names of groups are left out, because two forms with the same name cannot be joined.
        """
        patterns = [_GROUP_NAME.sub("(?:", form.pattern) for form in self.forms]
        return re2.compile("|".join(f"(?:{pattern})" for pattern in patterns))
