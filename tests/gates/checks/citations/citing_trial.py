"""A trial in a small library whose answers cite files, and gate 3's objections to the citations."""

from __future__ import annotations

from tests.gates.found_verdicts import objection_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.recorded_calls import CallsOfTrial


def calls_of_a_trial() -> CallsOfTrial:
    """Return a trial's calls: it listed two folders, read three files, and ran a query.

    So its answer may cite `/docs/Loans.md`, the record of a book, rows of the table
    `/logs/lent.tsv`, and the program `/bin/query`. It has seen `/empty.txt` only in a listing.
    """
    calls = CallsOfTrial()
    calls.list_folder("/", "/empty.txt", folders=("/docs", "/shelves", "/logs"))
    calls.list_folder("/docs", "/docs/Loans.md")
    calls.read("/docs/Loans.md", "/shelves/north side/b-104.json", "/logs/lent.tsv")
    calls.run("/bin/query", "select", stdout="b-104")
    return calls


def objection_to_form(refs: object) -> str:
    """Return what gate 3 objects to in an answer of that trial with these `refs_why`.

    `objection_to_form({"docs/Loans.md": "a loan runs 21 days"})` -> "… cite `/docs/Loans.md`", and
    an empty string for the path `/docs/Loans.md`.
    """
    judgement = judge_scratchpad(valid_scratchpad(refs_why=refs), calls_of_a_trial())
    return objection_of(judgement, 3)
