"""The reference solution of `temporary-files`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def files_below(client: ReferenceClient, root: str, suffix: str) -> list[str]:
    found = client.environment.call("find", {"name": "*", "root": root, "kind": "files", "limit": 0})["paths"]
    return sorted(str(path) for path in found if str(path).endswith(suffix)) if isinstance(found, list) else []


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Find the files, delete them and list them."""
    paths = files_below(client, truth.inputs["root"], truth.inputs["suffix"])
    for path in paths:
        client.delete(path)
    return client.answer(truth, "\n".join(paths))
