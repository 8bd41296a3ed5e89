"""Faults of the paths that an answer cites: unknown, missing and extra ones."""

from __future__ import annotations

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
    expected: Expectation, answer: SubmittedAnswer, end: LocalEnvironment
) -> list[str]:
    """Return the faults of the cited paths: unknown, missing and extra ones."""
    cited = {_cited_file(ref, end) for ref in answer.refs}
    unknown = {ref for ref in cited if not end.knows_file(ref)}
    missing = expected.references - cited
    extra = set()
    for ref in cited - unknown - expected.references - expected.tolerated:
        if not ref.startswith(expected.free):
            extra.add(ref)

    faults = [f"answer contains invalid reference {ref!r}" for ref in sorted(unknown)]
    for family in sorted({_family_of(ref) for ref in missing | extra}):
        missing_here = sorted(ref for ref in missing if _family_of(ref) == family)
        extra_here = sorted(ref for ref in extra if _family_of(ref) == family)
        # The platform reports all records of a kind in one line, and any other file in its own.
        if family.startswith(RECORDS_FOLDER):
            faults.append(
                f'answer refs for family "{family}" mismatch: missing [{" ".join(missing_here)}], '
                f"extra [{' '.join(extra_here)}]"
            )
            continue
        for ref in missing_here:
            faults.append(f"answer missing required reference {ref!r}")
        for ref in extra_here:
            faults.append(f"answer contains invalid reference {ref!r}")
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


def _cited_file(ref: str, end: LocalEnvironment) -> str:
    """Return the file that a reference names: `/data/fees.csv` for `/data/fees.csv#row=F-17`.

    Such a fragment is cut off only if a cell of the file has the text after `#row=`. Any
    other fragment stays a part of the path, which then names no file.
    """
    path, separator, row_id = ref.partition(ROW_FRAGMENT)
    if not separator or end.knows_file(ref):
        return ref
    text = end.changes.get(path) or end.first_files.get(path) or ""
    # Tables are separated by tabs, commas or semicolons.
    text_with_tabs = text.replace(",", "\t").replace(";", "\t")
    for line in text_with_tabs.splitlines():
        if row_id in line.split("\t"):
            return path
    return ref
