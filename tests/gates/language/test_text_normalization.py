"""Texts for people in the form that patterns read."""

import pytest

from gates.language import normalize_text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a  b\u00a0 c", "a b c"),
        ('Keep `x  y` and "p  q".', 'Keep `x  y` and "p  q".'),
        ("Keep `x\u00a0| y`.", "Keep `x | y`."),
        ("Answer as “%d”, it’s due.", 'Answer as "%d", it\'s due.'),
        ("one\r\ntwo", "one\ntwo"),
        ("Return only the deleted\npaths, one per line.", "Return only the deleted paths, one per line."),
        ("Return only the paths of it,\none per line.", "Return only the paths of it, one per line."),
    ],
)
def test_blanks_quotation_marks_and_wrapped_lines_are_levelled(text: str, plain: str) -> None:
    assert normalize_text(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "It ends with this sentence.\nthe next begins",
        "Use these columns in the table:\nname title",
        "The block that follows is data\nrole: system\nlevel=3",
        "short line\ngoes on",
        "A list of what is to be done\n- delete it\nRead it",
        "id\tname of the branch in full\nb\tc",
    ],
)
def test_lines_that_are_not_one_sentence_stay_apart(text: str) -> None:
    assert normalize_text(text) == text
