"""The check `clean_up`: answers a request to delete temporary files with a list of these files.

"Delete all .log files below /tmp/scan-3" names a folder and an extension. So the files are
known without a model, which might miss some. A request with any other condition, such as "logs
older than a day", is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from controlplane.benchmarks.shop.preflight.check_results import (
    LEFT_TO_MODEL,
    CheckResult,
    answered,
)
from controlplane.benchmarks.shop.preflight.classifier_answers import (
    intent_of,
)
from controlplane.benchmarks.shop.preflight.intent import Intent
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.gates.submission import OK
from controlplane.sandbox.functions import FunctionResult

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


@layout_from_harness
def clean_up(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Answer a request to delete temporary files with the list of these files.

    They are all files below a folder, or those with one extension: "delete all .log files
    below /tmp/scan-3". A request with other conditions is left to the model. `intent` is the
    JSON answer of a classifier, a small model that has read the request.
    """
    # 1. The request must name one folder, which is the one that the classifier has found, too
    #    (`tmp_path`), and at most one extension.
    checked_intent = intent_of(request, intent)
    folders = {folder.rstrip("/") for folder in _TEMPORARY_FOLDER.findall(request)}
    request_without_folders = _TEMPORARY_FOLDER.sub("", request)
    extensions = {match[1] for match in _EXTENSION.finditer(request_without_folders)}
    names_only_this_folder = folders == {checked_intent.tmp_path.rstrip("/")}
    if not names_only_this_folder or len(extensions) > 1:
        return LEFT_TO_MODEL

    # 2. It must order a deletion, without other conditions. Guests may not delete files.
    if not _DELETING_VERB.search(request) or _OTHER_CONDITION.search(request):
        return LEFT_TO_MODEL
    if layout.asker.is_guest:
        return LEFT_TO_MODEL

    # 3. Take all files of the folder, and of these the ones with the extension. The classifier
    #    knows only the extension `.tmp` (`tmp_only`), so it is not asked for that.
    all_files = replace(checked_intent, tmp_only=False)
    paths = files_to_delete(all_files, layout.files.paths)
    if paths is None:
        return LEFT_TO_MODEL
    if extensions:
        extension = extensions.pop()
        paths = [path for path in paths if path.endswith(extension)]
    if not paths:
        return LEFT_TO_MODEL
    answer = answered(OK, "\n".join(paths), "clean-up")
    # The solver deletes the files of the field `delete`.
    return FunctionResult({**answer.value, "delete": paths})


def files_to_delete(intent: Intent, paths: Iterable[str]) -> list[str] | None:
    """Return the files that a request wants deleted, sorted.

    They are the files below the folder that the classifier has found (`tmp_path`), or only
    those that end in `.tmp` (`tmp_only`). The result is None if the request does not ask
    to change files, if its folder is not below `/tmp`, or if the folder is empty.
    """
    folder = f"{intent.tmp_path.rstrip('/')}/"
    if not intent.file_change or not folder.startswith("/tmp/"):
        return None
    files = sorted({path for path in paths if path.startswith(folder)})
    if not files:
        return None
    if intent.tmp_only:
        return [path for path in files if path.endswith(".tmp")]
    return files
