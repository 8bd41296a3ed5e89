"""What the model of a trial is shown of the files that it reads.

    view = ModelView()
    view.read("/docs/rules.md", "# Rules ...")   -> "# Rules ..."
    view.read("/docs/rules.md", "# Rules ...")   -> "(unchanged: it stands above as ...)"

A file that was shown already is not sent again.
"""

from collections.abc import Mapping, Sequence

from controlplane.agent.exoskeleton.initial_results import initial_results
from controlplane.agent.exoskeleton.shown import ShownResults
from controlplane.sandbox.interface import FILE_OPERATIONS, Operation, Plain, ToolSchema
from tests.agent.exoskeleton.shown.opened_prompt import prompt_with_files

READ_OPERATION = ToolSchema(operations=FILE_OPERATIONS).operation("read")

HASH = "5" * 64
"""The hash of every file, which a model needs to write the file."""


class ModelView:
    """Shows the results of calls, and remembers which texts the model has seen."""

    def __init__(
        self,
        *,
        operations: Sequence[Operation] = FILE_OPERATIONS,
        may_write_files: bool = False,
        files_in_prompt: Mapping[str, str] | None = None,
    ) -> None:
        """Begin a trial in which the model may call these operations.

        `files_in_prompt` are the files that the initial prompt shows: `{"/a.md": "text"}`.
        """
        tool_schema = ToolSchema(operations=tuple(operations))
        prompt = prompt_with_files(files_in_prompt or {})
        self._results = ShownResults.after(
            initial_results(prompt, tool_schema),
            tool_schema,
            may_write_files=may_write_files,
        )

    def read(
        self, path: str, content: str, *, start_line: int = 0, truncated: bool = False
    ) -> str:
        """Return what the model is shown of a call `read` that returned this content.

        `truncated` is True if the environment itself has returned only a part of the file.
        """
        assert READ_OPERATION is not None
        arguments = {"path": path, "start_line": start_line, "end_line": 0}
        result = {
            "path": path,
            "content": content,
            "truncated": truncated,
            "sha256": HASH,
            "content_type": "text",
        }
        return self._results.shown(READ_OPERATION, arguments, result)

    def call(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> str:
        """Return what the model is shown of any call that returned this result."""
        return self._results.shown(operation, arguments, result)
