"""Citations as careless models write them: a record too many, or a path without its folders.

    misspelt("/proc/carts/cust-7/b-1.json#row=2")  # "/proc/carts/b-1#row=2"
    firstfirst_uncited_record(cited, ["/docs/a.md", "/proc/carts/b-4.json"])
    # [{"path": "/proc/carts/b-4.json", "reason": "it was looked at: /proc/carts/b-4.json"}]

The solver should mend both before it sends the answer.
"""

from collections.abc import Sequence
from typing import Any


def first_uncited_record(
    cited_records: Sequence[dict[str, Any]], seen_paths: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the first record that was seen and is not cited, as a list of one, or an empty list.

    Records are the files below `/proc/`; other files are documents, which are cited apart.
    """
    cited_paths = {record["path"] for record in cited_records}
    for path in seen_paths:
        if path.startswith("/proc/") and path not in cited_paths:
            return [{"path": path, "reason": f"it was looked at: {path}"}]
    return []


def misspelt(path: str) -> str:
    """Return a record's path as a careless model writes it, without inner folders and extension.

    `/proc/carts/cust-7/b-1.json#row=2` -> `/proc/carts/b-1#row=2`
    """
    file_path, mark, fragment = path.partition("#")
    parts = file_path.split("/")
    if len(parts) > 3:
        parts = [*parts[:3], parts[-1]]
    short_path = "/".join(parts).removesuffix(".json")
    return f"{short_path}{mark}{fragment}"
