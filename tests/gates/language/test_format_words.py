"""Words that look like a demand of format and bind nothing."""

import pytest

from gates.language.format_words import unread_words


@pytest.mark.parametrize(
    ("instruction", "found"),
    [
        ("Reply with the number only.", []),
        ("Reply with the number only, as bullet points.", [("bullet points", "not understood")]),
        ('Who wrote "answer with the number only"?', [("only", "quoted")]),
        ("Do not answer with the number only.", [("only", "negated")]),
        ("If it is lent, answer with the id only.", [("only", "under a condition")]),
        ("Write the names to /exports/n.txt, sorted.", [("sorted", "about a file or citations")]),
        ("Does the tool print only ids?", [("only", "asked, not ordered")]),
        ("How many? Give the count as <C:%d>.", []),
    ],
)
def test_each_such_word_is_told_with_its_reason(instruction: str, found: list[tuple[str, str]]) -> None:
    assert [(each.words, each.reason) for each in unread_words(instruction, "")] == found


def test_a_word_knows_its_place_and_its_sentence() -> None:
    text = "How many are there? In a table, please."
    (word,) = unread_words(text, "")
    assert text[word.start : word.end] == word.words == "table"
    assert word.sentence == "In a table, please."
