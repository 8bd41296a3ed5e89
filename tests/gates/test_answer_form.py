"""The template that an instruction fixes for an OK answer, and the requester's own words."""

import time

import pytest

from gates.request_text import asked_text, fault_of_form, normalize_text


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


@pytest.mark.parametrize(
    ("instruction", "kept", "broken"),
    [
        ("Give the count of late loans as <COUNT:%d>.", ["<COUNT:3>", "It is <COUNT:3>."], ["3", "<COUNT:x>"]),
        ("Report the number of open tickets as [N=%d].", ["[N=3]"], ["3"]),
        ("How many? Answer only with `%d books`.", ["3 books"], ["3", "It is 3 books."]),
        ('How many? Answer in exactly format "%d" (no quotes)', ["3", " 3\n"], ["three", "3 books"]),
        ('Name the sum. Answer in exactly the format "EUR %.2f".', ["EUR 3.50"], ["3.50", "EUR 3.5"]),
        ('Answer exactly as "%02d".', ["07", "112"], ["7"]),
        ('Antworte nur in der Form "%d/%d".', ["3/10"], ["3 von 10"]),
    ],
)
def test_a_demanded_template_accepts_its_form_alone(instruction: str, kept: list[str], broken: list[str]) -> None:
    assert [answer for answer in (*kept, *broken) if not fault_of_form(instruction, answer)] == kept


@pytest.mark.parametrize(
    "instruction",
    [
        "How long does a loan run?",
        "",
        'Give 10% discount on "books".',
        'The log holds "%d" for every row.',
        'Answer briefly and cite rows as "x#row=%d".',
        'Write a file with "%d" in each line and reply when it is done.',
        'If it is late, answer with "%d" only.',
        'Do not answer with "%d".',
        'Could you answer with "%d" only?',
        'How many? Answer with "%d" only. Reply as "%s, please" only.',
        'Wenn es spät ist, antworte nur mit "%d".',
    ],
)
def test_an_uncertain_template_is_not_demanded(instruction: str) -> None:
    assert fault_of_form(instruction, "none of these") == ""


@pytest.mark.parametrize(
    "piece", ["answer only ", '"%d" ', "only ", "x", "(", "DD-", "<A:%d", "please and then ", "`", "\n"]
)
def test_hostile_instructions_take_bounded_time(piece: str) -> None:
    began = time.process_time()
    fault_of_form(piece * (100_000 // len(piece)), "x")
    assert time.process_time() - began < 2
