"""Finds the files that misspelled paths refer to.

Models often write a path from memory: `/Proc/carts/Basket_1` for `/proc/carts/basket_1.json`, or
`/baskets/basket_1.json` with a folder that does not exist.
"""

from __future__ import annotations

from controlplane.benchmarks.shop.workspace.records.record_files import RecordFiles
from controlplane.gates.paths import record_id


def repaired_paths(files: RecordFiles, paths: list[str]) -> list[str]:
    """Return the existing files that possibly misspelled paths refer to, each once.

    `["/Proc/carts/Basket_1#lines"]` -> `["/proc/carts/basket_1.json#lines"]`. A path may have
    another case, lack its extension, or only end with the right id. A path that matches no file,
    or several, is left out.
    """
    existing = set(files.paths)
    path_by_folded = {path.casefold(): path for path in files.paths}
    repaired = []
    for path in paths:
        file_path, mark, fragment = path.partition("#")
        # The whole path is tried, too, because a file may have a `#` in its name.
        if path in existing or file_path in existing:
            repaired.append(path)
            continue
        repaired_path = _file_for(files, path_by_folded, file_path)
        if repaired_path:
            repaired.append(f"{repaired_path}{mark}{fragment}")
    return list(dict.fromkeys(repaired))


def _file_for(
    files: RecordFiles, path_by_folded: dict[str, str], misspelled: str
) -> str | None:
    """Return the file that a misspelled path refers to; None if there is none or several.

    `path_by_folded` has all paths by their form without case.
    """
    # 1. Only the case is wrong, or the extension is missing.
    folded = misspelled.casefold()
    for candidate in (folded, f"{folded}.json"):
        if candidate in path_by_folded:
            return path_by_folded[candidate]

    # 2. The path ends with the id of a record, whatever its folder. Documents have no ids.
    if misspelled.endswith(".md"):
        return None
    return files.path_of(record_id(misspelled))
