"""A path in another case than in the listing is cited as it is listed.

Models spell paths freely: `/DOCS/loans.md` for `/docs/Loans.md`.
"""

from tests.gates.recorded_calls import CallsOfTrial


def cited_path(calls: CallsOfTrial, path: str) -> str:
    """Return the path by which `cite` cites a file, with some reason."""
    return calls.cite(path, "a reason that is long enough").spelling


def test_a_path_in_another_case_than_listed_is_cited_as_listed() -> None:
    calls = CallsOfTrial()
    calls.list_folder("/docs", "/docs/Loans.md")
    calls.read("/DOCS/loans.md")

    assert cited_path(calls, "/DOCS/loans.md") == "/docs/Loans.md"
    assert cited_path(calls, "/docs/Loans.md") == "/docs/Loans.md"


def test_a_part_of_a_file_is_cited_by_the_listed_path_of_the_file() -> None:
    """`#2` stands for part 2 of the file."""
    calls = CallsOfTrial()
    calls.list_folder("/docs", "/docs/Loans.md")
    calls.read("/DOCS/loans.md")

    assert cited_path(calls, "/DOCS/loans.md#2") == "/docs/Loans.md#2"


def test_a_note_tells_the_model_the_listed_path() -> None:
    calls = CallsOfTrial()
    calls.list_folder("/docs", "/docs/Loans.md")

    (note,) = calls.read("/DOCS/loans.md")

    assert note == "`/DOCS/loans.md` is `/docs/Loans.md`: cite it by that path."


def test_a_path_is_cited_as_listed_even_if_it_is_listed_later() -> None:
    """When the script reads the file, the right spelling is not known yet, so there is no
    note."""
    calls = CallsOfTrial()

    notes = calls.read("/DOCS/loans.md")
    calls.list_folder("/docs", "/docs/Loans.md")

    assert notes == ()
    assert cited_path(calls, "/DOCS/loans.md") == "/docs/Loans.md"
    assert cited_path(calls, "/DOCS/loans.md#2") == "/docs/Loans.md#2"
