"""A trial that read a document, a record and a log, for tests about citations."""

from tests.gates.sample_trials import Calls

BOOK = "/shelves/north side/b-104.json"


def calls_of_a_trial() -> Calls:
    calls = Calls()
    calls.list("/", "/empty.txt", folders=("/docs", "/shelves", "/logs"))
    calls.list("/docs", "/docs/Loans.md")
    calls.read("/docs/Loans.md", BOOK, "/logs/lent.tsv")
    calls.run("/bin/query", "select", stdout="b-104")
    return calls
