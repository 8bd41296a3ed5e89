"""The check `clean_up`: answers a request to delete temporary files with a list of these files.

"Delete all .log files below /tmp/scan-3" names a folder and an extension. So the files are
known without a model, which might miss some. A request with any other condition, such as "logs
older than a day", is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.preflight.classifier_answers import intent_of
from controlplane.benchmarks.shop.preflight.intent import Intent
from controlplane.benchmarks.shop.preflight.refusals import (
    LEFT_TO_MODEL,
    CheckResult,
    answered,
)
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import FunctionResult
from controlplane.sandbox.interface.outcomes import OK

_EXTENSION: Final = re.compile(
    r"(?<![\w/])"  # not inside a name or path, such as `a.txt` or `/.git`
    r"[`'\"]?"  # perhaps a quotation mark
    r"\*?"  # perhaps the star of a pattern
    r"(\.[A-Za-z]\w{0,9})\b"
    r"[`'\"]?"
    r"(?!/)"  # not a folder, such as `.cache/`
)
"""An extension that stands alone: `.tmp`, `*.log`, `'.csv'`."""
_DELETING_VERB: Final = re.compile(
    r"\b(?:delet|remov|clean|clear|empty|wip|purg|drop)\w*", re.IGNORECASE
)
"""A request without such a word deletes nothing: `delete`, `wiping`."""
_TEMPORARY_FOLDER: Final = re.compile(r"(?<![\w/])/tmp/[\w./-]*\w")
"""`/tmp/scan-3`"""
_OTHER_CONDITION: Final = re.compile(
    r"\b(?:except|but not|other than|older|newer|larger|smaller|apart from)\b",
    re.IGNORECASE,
)
"""Words that select files by something other than their extension: `logs older than a day`."""


@dataclass(frozen=True, slots=True)
class _Deletion:
    """What a request orders to delete: all files below a folder, or those with one extension."""

    folder: str
    """`/tmp/scan-3`"""
    extension: str
    """`.log`; empty for all files."""


@layout_from_harness
def clean_up(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Answer a request to delete temporary files with the list of these files.

    "Delete all .log files below /tmp/scan-3" -> the answer "/tmp/scan-3/a.log", with this file
    in the field `delete`: the solver then deletes it. `intent` is the JSON answer of a
    classifier, a small model that has read the request, too.
    """
    # 1. The request and the classifier name the same folder. Guests may not delete files.
    classified = intent_of(request, intent)
    deletion = _ordered_deletion(request)
    if deletion is None or deletion.folder != classified.tmp_path.rstrip("/"):
        return LEFT_TO_MODEL
    if layout.asker.is_guest:
        return LEFT_TO_MODEL

    # 2. There are such files.
    paths = files_to_delete(classified, layout.files.paths, deletion.extension)
    if not paths:
        return LEFT_TO_MODEL
    answer = answered(OK, "\n".join(paths), "clean-up")
    return FunctionResult({**answer.value, "delete": paths})


def _ordered_deletion(request: str) -> _Deletion | None:
    """Return the only deletion that a request orders; None if it is not certain.

    "Delete all .log files below /tmp/scan-3" -> `/tmp/scan-3`, `.log`. A request is not certain
    if it has another condition ("older than a day"), several folders or several extensions.
    """
    if not _DELETING_VERB.search(request) or _OTHER_CONDITION.search(request):
        return None
    folders = set(_TEMPORARY_FOLDER.findall(request))
    request_without_folders = _TEMPORARY_FOLDER.sub("", request)
    extensions = set(_EXTENSION.findall(request_without_folders))
    if len(folders) != 1 or len(extensions) > 1:
        return None
    return _Deletion(folders.pop(), extensions.pop() if extensions else "")


def files_to_delete(
    intent: Intent, paths: Iterable[str], extension: str = ""
) -> list[str]:
    """Return the files below a folder that end with an extension, sorted; empty if there are none.

    The folder is the one that the classifier has found (`intent.tmp_path`). It must be below
    `/tmp`, and the classifier must have found that files are to be changed.
    """
    folder = f"{intent.tmp_path.rstrip('/')}/"
    if not intent.file_change or not folder.startswith("/tmp/"):
        return []
    files = {path for path in paths if path.startswith(folder)}
    return sorted(path for path in files if path.endswith(extension))
