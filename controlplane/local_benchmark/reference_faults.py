"""Faults of the paths that an answer cites: unknown, missing and extra ones."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from controlplane.local_benchmark.expectation import Expectation
from controlplane.local_benchmark.local_environment import (
    LocalEnvironment,
    SubmittedAnswer,
)

RECORDS_FOLDER: Final = "/proc/"
"""The folder of records. Each kind of record has a folder in it, such as `loans/`."""
ROW_FRAGMENT: Final = "#row="
"""Begins the fragment of a reference to a single row of a table: `/data/fees.csv#row=F-17`."""


def reference_faults(
    expected: Expectation, answer: SubmittedAnswer, environment: LocalEnvironment
) -> list[str]:
    """Return the faults of the cited paths: unknown, missing and extra ones.

    `environment` is that of the trial at its end. A file that the trial has created may be cited.
    """
    cited = {_cited_file(ref, environment) for ref in answer.refs}
    unknown = {path for path in cited if not environment.knows_file(path)}
    missing = expected.references - cited
    extra = set()
    for path in cited - unknown - expected.references:
        may_be_cited = path in expected.tolerated or path.startswith(expected.free)
        if not may_be_cited:
            extra.add(path)

    faults = [f"answer contains invalid reference {path!r}" for path in sorted(unknown)]
    for family in sorted({_family_of(path) for path in missing | extra}):
        faults += _faults_of_family(family, missing, extra)
    return faults


def _faults_of_family(family: str, missing: Set[str], extra: Set[str]) -> list[str]:
    """Return the faults of the paths in one folder, in the words of the platform.

    The platform reports all records of a kind in one line, and any other file in its own.
    """
    missing_here = sorted(path for path in missing if _family_of(path) == family)
    extra_here = sorted(path for path in extra if _family_of(path) == family)
    if family.startswith(RECORDS_FOLDER):
        return [
            f'answer refs for family "{family}" mismatch: missing [{" ".join(missing_here)}], '
            f"extra [{' '.join(extra_here)}]"
        ]
    faults = []
    for path in missing_here:
        faults.append(f"answer missing required reference {path!r}")
    for path in extra_here:
        faults.append(f"answer contains invalid reference {path!r}")
    return faults


def _family_of(path: str) -> str:
    """Return the folder by which faults of references are grouped.

    For a record it is the folder of its kind, such as that of loans. For another file
    it is the first folder of the path, such as `/docs`.
    """
    parts = path.split("/")
    if path.startswith(RECORDS_FOLDER):
        return "/".join(parts[:3])
    return f"/{parts[1]}"


def _cited_file(ref: str, environment: LocalEnvironment) -> str:
    """Return the file that a reference names: `/data/fees.csv` for `/data/fees.csv#row=F-17`.

    Such a fragment is cut off only if a cell of the file has the text after `#row=`. Any
    other fragment stays a part of the path, which then names no file.
    """
    path, separator, row_id = ref.partition(ROW_FRAGMENT)
    if not separator or environment.knows_file(ref):
        return ref
    text = environment.changes.get(path) or environment.first_files.get(path) or ""
    # Tables are separated by tabs, commas or semicolons.
    text_with_tabs = text.replace(",", "\t").replace(";", "\t")
    for line in text_with_tabs.splitlines():
        if row_id in line.split("\t"):
            return path
    return ref
