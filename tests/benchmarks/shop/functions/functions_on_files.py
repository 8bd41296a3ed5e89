"""Runs the shop's functions on a few files, without a shop around them.

    run_table_function("fraud_rows", {"/archive/a.tsv": text}, path="/archive/a.tsv")
    # {"value": {"total_cents": 2140, ...}, "refs": [{"path": "/archive/a.tsv#row=R1"}], "notes": []}

A function finds and reads files by calls, which are answered from the texts that the test gives.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from controlplane.sandbox.interface import CallError, ToolSchema
from tests.support.single_trial import compute


class FilesByPath:
    """A workspace of these files only, each a text by its path: `{"/archive/a.tsv": "row_id..."}`.

    It answers the calls by which functions find and read files.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> list[dict[str, Any] | CallError]:
        """Return the results of calls such as `[("read", {"path": "/archive/a.tsv"})]`."""
        return [self._call(operation, arguments) for operation, arguments in calls]

    def _call(
        self, operation: str, arguments: Mapping[str, Any]
    ) -> dict[str, Any] | CallError:
        path = arguments.get("path", "")
        if operation == "find":
            return {"paths": self._find(arguments["name"]), "truncated": False}
        if operation == "read" and path in self._files:
            text = self._files[path]
            return {"path": path, "content": text, "truncated": False, "sha256": ""}
        return CallError("not_found", f"there is no {path}")

    def _find(self, name_pattern: str) -> list[str]:
        """Return the paths of files with such a name: `*.tsv`."""
        paths = []
        for path in self._files:
            if fnmatchcase(PurePosixPath(path).name, name_pattern):
                paths.append(path)
        return paths


def run_table_function(
    function: str, files: Mapping[str, str], **arguments: Any
) -> dict[str, Any]:
    """Run a function in a workspace that has only these files, and return its result.

    `run_table_function("fraud_rows", {"/archive/a.tsv": text}, path="/archive/a.tsv")`
    gives `{"value": ..., "refs": [{"path": ...}, ...], "notes": [...]}`.
    """
    return compute(
        f"controlplane.benchmarks.shop.table_functions:{function}",
        arguments,
        ToolSchema(()),
        call_all=FilesByPath(files).call_all,
    )
