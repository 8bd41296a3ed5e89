"""The rules of a workspace: a document that says what the model must and must not do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.sandbox.interface import Operation, Plain


@dataclass(slots=True)
class WorkspaceRules:
    """The text of the rules, which a call of the trial reads. The gates need it."""

    path: str
    """The document with the rules; empty if the environment has none."""
    text: str = ""
    """Empty until a call has read the document."""
    _is_settled: bool = False
    """True if no call can change the text any more."""

    def settle(self, text: str) -> None:
        """Take the text that the initial prompt has, whose calls read the document."""
        self.text = text
        self._is_settled = True

    def take_result(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Take the text from the result of a call, if it is the first that reads the document."""
        if self._is_settled or self.text or not self.path:
            return
        if arguments.get(operation.subject) == self.path:
            self.text = str(result.get(operation.json_field, ""))
