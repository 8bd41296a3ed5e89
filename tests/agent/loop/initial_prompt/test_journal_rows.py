"""The rows of the journal say of the files that fit a request why they were chosen.

The first message to a model shows some of them: `/data/cart-1.json`, which the request names and other
files are linked to -> a row with the reason `named+linked`, and how many characters are shown.
"""

from controlplane.agent.events import RankedFile
from controlplane.agent.retrieval.ranking_reasons import Candidate, Reason
from controlplane.agent.retrieval.selection import journal_rows


def candidate(path: str, *reasons: Reason) -> Candidate:
    """Return a file that may be shown for these reasons, with a score of 0.5."""
    return Candidate(path=path, read_operation=None, score=0.5, reasons=list(reasons))


def test_shown_files_stand_before_those_that_fit_and_are_not_shown() -> None:
    """Nothing connects `/docs/lore.md` with the request, so that it has no row."""
    candidates = [
        candidate("/docs/lore.md"),
        candidate("/docs/fees.md", Reason.WORDS),
        candidate("/data/cart-1.json", Reason.NAMED, Reason.LINKED),
    ]

    rows = journal_rows(candidates, shown_chars={"/data/cart-1.json": 77})

    assert rows == (
        RankedFile(
            path="/data/cart-1.json", score=0.5, reason="named+linked", chars=77
        ),
        RankedFile(path="/docs/fees.md", score=0.5, reason="words", chars=0),
    )


def test_at_most_40_shown_files_have_rows() -> None:
    paths = [f"/data/cart-{number}.json" for number in range(41)]
    candidates = [candidate(path, Reason.NAMED) for path in paths]

    rows = journal_rows(candidates, shown_chars=dict.fromkeys(paths, 77))

    assert [row.path for row in rows] == paths[:40]


def test_at_most_12_files_that_are_not_shown_have_rows() -> None:
    paths = [f"/data/cart-{number}.json" for number in range(13)]
    candidates = [candidate(path, Reason.NAMED) for path in paths]

    rows = journal_rows(candidates, shown_chars={})

    assert [row.path for row in rows] == paths[:12]
