"""Groups the paths of records that probably have the same kind, judging by the paths alone.

The files of a group are in one top folder, and their ids have the same word before the
number: `/proc/carts/basket_0001.json` and `/proc/carts/south/basket_0002.json`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from os.path import commonpath

from controlplane.benchmarks.shop.texts.documents import named_paths
from controlplane.benchmarks.shop.workspace.tool_uses import folders_above
from controlplane.gates.paths import record_id

_JSON_ENDINGS = (".json", ".JSON")


@dataclass(frozen=True, slots=True)
class RecordGroup:
    """The paths of records that probably have the same kind, in the order of the list of files."""

    paths: tuple[str, ...]

    @property
    def ends(self) -> tuple[str, ...]:
        """The first and the last path, or the only one. Their records are read as samples."""
        return tuple(dict.fromkeys((self.paths[0], self.paths[-1])))

    @property
    def root(self) -> str:
        """The deepest folder that contains all records of the group: `/proc/carts`.

        In alphabetical order, all paths are between the smallest and the largest. So a folder
        that contains these two contains all, and thousands need not be compared.
        """
        smallest_path = min(self.paths)
        largest_path = max(self.paths)
        folders = [path.rpartition("/")[0] for path in (smallest_path, largest_path)]
        return commonpath(folders)


@lru_cache(maxsize=4)
def record_groups(paths: tuple[str, ...], root: str) -> tuple[RecordGroup, ...]:
    """Return the groups of JSON files below a folder (`root`).

    Files are in one group if they have the same top folder, such as `/proc/carts`, and the same
    word before the number in their ids: `basket` of `basket-0012`. Files whose ids have another
    form, such as `AB-1X`, have no word, and are one group in each top folder.
    """
    paths_of_groups: dict[tuple[str, str], list[str]] = {}
    top_folders: dict[str, str] = {}
    for path in paths:
        if not path.endswith(_JSON_ENDINGS) or not path.startswith(root):
            continue
        folder = path.rpartition("/")[0]
        if folder not in top_folders:
            top_folders[folder] = _top_folder(folder)
        group_key = (top_folders[folder], _word_of_id(record_id(path)))
        paths_of_groups.setdefault(group_key, []).append(path)
    return tuple(RecordGroup(tuple(members)) for members in paths_of_groups.values())


def _top_folder(folder: str) -> str:
    """Return the first two names of a folder: `/proc/carts` for `/proc/carts/south/2027`.

    Deeper folders divide one group, for example by customer.
    """
    names = folder.split("/")[1:]
    return "/" + "/".join(names[:2])


def _word_of_id(name: str) -> str:
    """Return the word before the number of an id: `Basket_0001` -> `basket`.

    The result is empty for other ids.
    """
    without_number = name.rstrip("0123456789")
    word = without_number.rstrip("-_")
    is_numbered = len(without_number) < len(name)
    return word.casefold() if is_numbered and word.isalpha() else ""


@lru_cache(maxsize=4)
def folder_of_records(paths: tuple[str, ...], rules: str) -> str:
    """Return the one top folder that contains records and that the rules name, else the root.

    Rules that name `/proc/carts/` -> `/proc/`
    """
    folders_with_records: set[str] = set()
    for path in paths:
        if path.endswith(_JSON_ENDINGS):
            folders_with_records.update(folders_above(path))
    top_folders = set()
    for path in named_paths(rules):
        if path in folders_with_records:
            top_folders.add(f"/{path.split('/')[1]}/")
    return top_folders.pop() if len(top_folders) == 1 else "/"
