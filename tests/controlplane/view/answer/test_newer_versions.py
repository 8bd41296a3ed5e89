"""Which cited files are said to have a newer version."""

import pytest

from controlplane.view.answer.newer_versions import NewerVersion, newer_versions

MONTHS = [["/spend-2026-04.md", "/spend-2026-03.md"]]
CITED_MARCH = {"/spend-2026-03.md"}


def test_a_cited_file_has_a_newer_version() -> None:
    families = [
        ["/loans-2025.md", "/loans-2023.md"],
        ["/fees (corrected).md", "/fees.md"],
    ]
    newer = newer_versions(
        families, {"/loans-2023.md", "/fees.md"}, "How long is a loan?"
    )

    assert newer == [
        NewerVersion("/loans-2023.md", "/loans-2025.md"),
        NewerVersion("/fees.md", "/fees (corrected).md"),
    ]


def test_a_file_beside_its_cited_newer_version_is_not_named() -> None:
    families = [["/fees (corrected).md", "/fees.md"]]
    assert (
        newer_versions(families, {"/fees.md", "/fees (corrected).md"}, "What is due?")
        == []
    )


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
def test_the_file_of_a_month_has_no_newer_version_for_a_question_about_it(
    question: str,
) -> None:
    assert newer_versions(MONTHS, CITED_MARCH, question) == []


@pytest.mark.parametrize(
    "question", ["What do we spend?", "In April 2026?", "In March 2025?"]
)
def test_the_file_of_another_month_has_a_newer_version(question: str) -> None:
    assert len(newer_versions(MONTHS, CITED_MARCH, question)) == 1


def test_a_file_of_the_asked_year_or_number_has_no_newer_version() -> None:
    years = [["/loans-2025.md", "/loans-2023.md"]]
    assert (
        newer_versions(years, {"/loans-2023.md"}, "How long were loans in 2023?") == []
    )
    numbers = [["/api-v10.md", "/api-v2.md"]]
    assert newer_versions(numbers, {"/api-v2.md"}, "What is returned by v2?") == []
