"""The rules of a workspace: a document that says what the model must and must not do.

The gates check an answer by its text. They get the text that the trial has read: in the
calls of the initial prompt, or else in the first call of a script that reads the document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.sandbox.interface import Operation, Plain


@dataclass(slots=True)
class WorkspaceRules:
    """The text of the rules, as the trial has read it first."""

    path: str
    """The document with the rules: `/docs/rules.md`. Empty if the environment has none."""
    _known_text: str | None = None
    """None until a call has read the document."""

    @property
    def text(self) -> str:
        """The text of the rules; empty until a call has read them."""
        return self._known_text or ""

    def keep_initial(self, text: str) -> None:
        """Keep the text that the initial prompt has, even an empty one. No later call changes it."""
        self._known_text = text

    def learn_result(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Keep the text in the result of a call, if it is the first that reads the document."""
        if self._known_text is not None or not self.path:
            return
        reads_rules = arguments.get(operation.subject) == self.path
        if reads_rules:
            # The operation declares in which field of its result the text of a file is.
            text = str(result.get(operation.json_field, ""))
            self._known_text = text or None  # An empty text may be learned anew.
