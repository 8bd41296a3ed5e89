"""A call that has returned, and the text of its result.

An answer may only cite what the model was shown. A script gets the whole result of its call,
and decides what to print. The initial prompt also has results of calls, and may show only
the beginning of a long one: `shown_chars` characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.texts.call_arguments import CallArguments
from controlplane.agent.evidence.texts.found_lines import FoundLines, found_lines
from controlplane.agent.evidence.texts.returned_text import text_of_result
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Operation, Plain


@dataclass(frozen=True, slots=True)
class ShownText:
    """The text of a result, as far as the model or its script has got it."""

    text: str
    is_whole: bool
    """False if the end of the result's text was cut off."""


@dataclass(frozen=True, slots=True)
class ReturnedCall:
    """One call with its declaration, arguments and result, to add them to the evidence.

    After `read("/a.md", start_line=3)`, with `{"path": "/a.md", "content": "fee: 7"}`, an
    answer may cite `/a.md` (`requested_path`) for `fee: 7` (`shown_text`). The lines before
    may be missing (`returns_part`).
    """

    declared: Operation
    """The declaration of the operation that was called."""
    arguments: CallArguments
    """The arguments, and which of them the script chose."""
    result: Mapping[str, Plain]
    """The fields of the result: `{"path": "/a.md", "content": "fee: 7"}`."""
    shown_chars: int | None = None
    """How many characters of the text the initial prompt shows.
    None for a call of a script, which gets the whole text."""

    @classmethod
    def of(
        cls,
        declared: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> ReturnedCall:
        """Return a call of a script that has returned this result."""
        return cls(declared, CallArguments(declared, arguments), result)

    @property
    def requested_path(self) -> str:
        """The path argument in canonical form. Empty if the call has no path."""
        # `subject` names the path argument.
        path = self.arguments.values.get(self.declared.subject)
        return canonical(path) if isinstance(path, str) and path else ""

    @property
    def is_of_initial_prompt(self) -> bool:
        """True if the initial prompt shows the result. False for a call of a script."""
        return self.shown_chars is not None

    def shown_text(self, field_name: str = "") -> ShownText:
        """Return the text of the result, cut where the initial prompt cuts it.

        `field_name` is the field that has the text, if the operation declares one.
        """
        text = text_of_result(self.result, field_name)
        if self.shown_chars is None:
            return ShownText(text, is_whole=True)
        shown = text[: max(self.shown_chars, 0)]
        return ShownText(shown, is_whole=len(shown) == len(text))

    @property
    def returns_part(self) -> bool:
        """True if the call may have got only a part of the file.

        It may have if it has any input beside the path, such as `start_line`.
        """
        return self.result.get("truncated") is True or bool(self.arguments.inputs)

    @property
    def exit_code(self) -> int:
        """The exit code of a tool: 0 if it succeeded.

        A missing exit code counts as success, and one that is not a number as a failure.
        """
        code = self.result.get(self.declared.exit_field or "exit_code", 0)
        return code if isinstance(code, int) else 1

    def found_lines(self) -> Iterable[FoundLines]:
        """Return the lines of files in a search's result; none if no character was shown."""
        if self.shown_chars == 0:
            return ()
        return found_lines(self.result)
