"""No newer version of a cited file is named if the question is about the older one.

"What did we spend in March?" is rightly answered from /spend-2026-03.md, although /spend-2026-04.md is
newer. A family is a list of versions of a file, with the newest first.
"""

import pytest

from controlplane.view.answer.newer_versions import NewerVersion, newer_versions

SPENDING_BY_MONTH = ["/spend-2026-04.md", "/spend-2026-03.md"]


@pytest.mark.parametrize(
    "question",
    [
        "What did we spend in March 2026?",
        "What did we spend in March?",
        "Wie hoch waren die Kosten im März?",
        "What was bought on 12 March 2026?",
        "Total of 2026-03?",
    ],
)
def test_no_newer_month_is_named_for_a_question_about_the_cited_month(
    question: str,
) -> None:
    """The file of March is cited, and the file of April is newer. The question is about March."""
    cited_files = {"/spend-2026-03.md"}

    assert newer_versions([SPENDING_BY_MONTH], cited_files, question) == []


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("What do we spend?", id="no month"),
        pytest.param("In April 2026?", id="another month"),
        pytest.param("In March 2025?", id="the month of another year"),
    ],
)
def test_the_newer_month_is_named_for_any_other_question(question: str) -> None:
    """The file of March 2026 is cited, but is not what is asked for."""
    newer = newer_versions([SPENDING_BY_MONTH], {"/spend-2026-03.md"}, question)

    assert newer == [NewerVersion("/spend-2026-03.md", "/spend-2026-04.md")]


def test_no_newer_year_is_named_for_a_question_about_the_cited_year() -> None:
    """The file of 2023 is cited, and the file of 2025 is newer."""
    question = "How long were loans in 2023?"

    assert (
        newer_versions(
            [["/loans-2025.md", "/loans-2023.md"]], {"/loans-2023.md"}, question
        )
        == []
    )


def test_no_newer_number_is_named_for_a_question_about_the_cited_number() -> None:
    """The file of v2 is cited, and the file of v10 is newer."""
    question = "What is returned by v2?"

    api_by_number = ["/api-v10.md", "/api-v2.md"]
    assert newer_versions([api_by_number], {"/api-v2.md"}, question) == []
