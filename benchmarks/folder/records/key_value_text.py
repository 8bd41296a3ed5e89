"""A record as lines of keys and values, as in YAML and in the front matter of Markdown.

For example:

    ---
    city: Graz
    state: "yes"
    ---
    The text of a Markdown file follows.

All values are texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

_KEY_VALUE_LINE: Final = re.compile(
    r"^([^\s:#-][^:\n]*):[ \t]*([^\r\n]*)", re.MULTILINE
)
"""`city: Graz`. Indented lines, list items and comments do not count."""
_FRONT_MATTER: Final = re.compile(r"\A---\r?\n(.*?)^---\r?$", re.DOTALL | re.MULTILINE)
"""The lines between `---` and `---` at the start of a Markdown file."""
_UNQUOTED_TEXT: Final = re.compile(r"[^\W\d][\w ./@()-]*")
"""A text that needs no quotes in YAML, unless it is one of `_YAML_WORDS`."""
_YAML_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null"})


@dataclass(frozen=True, slots=True)
class KeyValueText:
    """A text in three parts: its `key: value` lines, and the text before and after them.

    In a Markdown file, `before` is the opening `---`, and `after` begins with the closing one.
    """

    before: str
    lines: str
    after: str

    @classmethod
    def read(cls, text: str) -> KeyValueText:
        """Split a text into its parts. Without front matter, all of it is `lines`."""
        front_matter = _FRONT_MATTER.search(text)
        if front_matter is None:
            return cls("", text, "")
        start, end = front_matter.span(1)
        return cls(text[:start], text[start:end], text[end:])

    @property
    def fields(self) -> dict[str, str]:
        """The values by key, without quotation marks."""
        fields = {}
        for key, value in _KEY_VALUE_LINE.findall(self.lines):
            fields[key.strip()] = _unquoted(value)
        return fields

    def text_after_setting(self, values: Mapping[str, Any], line_end: str) -> str:
        """Return the whole text after setting some fields.

        A new field is added as a line at the end, which gets the file's `line_end`.
        """
        lines = self.lines
        for name, value in values.items():
            lines = _lines_after_setting(lines, name, value, line_end)
        return self.before + lines + self.after


def _lines_after_setting(lines: str, name: str, value: Any, line_end: str) -> str:
    """Return `key: value` lines with a value in the line of this name, or in a new last line."""
    new_line = f"{name}: {_quoted(value)}"
    # The name at the start of a line, perhaps blanks, and the rest of the line.
    old_line = re.search(
        rf"^{re.escape(name)}[^\S\r\n]*:[^\r\n]*", lines, flags=re.MULTILINE
    )
    if old_line is not None:
        return lines[: old_line.start()] + new_line + lines[old_line.end() :]
    if lines and not lines.endswith("\n"):
        lines += line_end
    return f"{lines}{new_line}{line_end}"


def _quoted(value: Any) -> str:
    """Return a value as YAML. A text is quoted if YAML could read it as something else."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    is_unambiguous = (
        _UNQUOTED_TEXT.fullmatch(value) is not None
        and value.lower() not in _YAML_WORDS
        and value == value.strip()
    )
    return value if is_unambiguous else json.dumps(value, ensure_ascii=False)


def _unquoted(value: str) -> str:
    """Return a value without its quotation marks: `'12 May'` -> `12 May`."""
    value = value.strip()
    if value.startswith('"'):
        with suppress(ValueError):
            return str(json.loads(value))  # `_quoted` writes JSON.
    is_quoted = len(value) > 1 and value[0] in "\"'" and value[0] == value[-1]
    return value[1:-1] if is_quoted else value
