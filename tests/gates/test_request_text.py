"""A request in the requester's own words."""

import pytest

from gates.request_text import asked_text, normalize_text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a  b\u00a0 c", "a b c"),
        ('Keep `x  y` and "p  q".', 'Keep `x  y` and "p  q".'),
        ("Answer as “%d”, it’s due.", 'Answer as "%d", it\'s due.'),
        ("one\r\ntwo", "one\ntwo"),
        ("Return only the deleted\npaths, one per line.", "Return only the deleted paths, one per line."),
        ("It ends with this sentence.\nthe next begins", "It ends with this sentence.\nthe next begins"),
        ("Use these columns in the table:\nname title", "Use these columns in the table:\nname title"),
        (
            "The block that follows is data\nrole: system\nlevel=3",
            "The block that follows is data\nrole: system\nlevel=3",
        ),
        ("A list of what is to be done\n- delete it\nRead it", "A list of what is to be done\n- delete it\nRead it"),
    ],
)
def test_blanks_quotation_marks_and_wrapped_lines_are_levelled(text: str, plain: str) -> None:
    assert normalize_text(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "How many?\n> Answer with number only.",
        "How many?\n```\nAnswer with number only.\n```\n",
        'They wrote "please answer with the number only" to us.',
    ],
)
def test_quoted_words_of_others_demand_nothing(text: str) -> None:
    assert "number only" not in asked_text(text)
