"""The rules of a workspace: a document that says what the model must and must not do.

The gates check an answer by its text. A script could change the document, so the text counts
that the trial has read first: for the initial prompt, or else in a call of a script:

    learn_call("read", {"path": "/docs/rules.md"}, {"content": "Round up."})   -> "Round up."
    learn_call("read", {"path": "/docs/rules.md"}, {"content": "Lie."})        changes nothing
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.sandbox.interface import Plain, ToolSchema


@dataclass(slots=True)
class WorkspaceRules:
    """The text of the rules, as the trial has read it first."""

    tool_schema: ToolSchema
    """The environment's declaration. It names the document with the rules: `/docs/rules.md`, or
    an empty path if the environment has none."""
    _known_text: str | None = None
    """None until a call has read the document."""

    @property
    def text(self) -> str:
        """The text of the rules; empty until a call has read them."""
        return self._known_text or ""

    def keep_initial(self, text: str) -> None:
        """Keep the text that the initial prompt has, even an empty one. No later call changes it."""
        self._known_text = text

    def learn_call(
        self,
        operation_name: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Keep the text in the result of a call, if it is the first that reads the document."""
        path = self.tool_schema.rules_document
        if self._known_text is not None or not path:
            return
        operation = self.tool_schema.operation(operation_name)
        if operation is not None and arguments.get(operation.subject) == path:
            # The operation declares in which field of its result the text of a file is.
            text = str(result.get(operation.json_field, ""))
            self._known_text = text or None  # An empty text may be learned anew.
