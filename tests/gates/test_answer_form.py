"""The form that an instruction fixes for an OK answer, and what is left alone because it is not certain."""

import time

import pytest

from gates.answer_form import asked_text, asks_only, derive_clauses, form_kinds, normalize_text


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
def test_what_somebody_else_says_is_not_asked(text: str) -> None:
    assert "number only" not in asked_text(text)
    assert derive_clauses(text) == ()


@pytest.mark.parametrize(
    ("request_text", "is_question"),
    [
        ("How many are late? Answer with the number only.", True),
        ("Which one? Thanks!", True),
        ("Please close basket-17. Answer with its id only.", False),
        ("Which one is late? Please close it.", False),
    ],
)
def test_a_request_that_only_asks_orders_nothing(request_text: str, is_question: bool) -> None:
    assert asks_only(request_text) is is_question


KEPT_AND_BROKEN = [
    # printf templates
    ("Give the count of late loans as <COUNT:%d>.", "template", ["<COUNT:3>", "It is <COUNT:3>."], ["3", "<COUNT:x>"]),
    ("Report the number of open tickets as [N=%d].", "template", ["[N=3]"], ["3"]),
    ("How many? Answer only with `%d books`.", "template", ["3 books"], ["3", "It is 3 books."]),
    ('Name the sum. Answer in exactly the format "EUR %.2f".', "template", ["EUR 3.50"], ["3.50", "EUR 3.5"]),
    ('Answer exactly as "%02d".', "template", ["07", "112"], ["7"]),
    ('Antworte nur in der Form "%d/%d".', "template", ["3/10"], ["3 von 10"]),
    # dates
    (
        "What day is tomorrow? Respond DD-MM-YYYY only.",
        "date",
        ["04-05-2031"],
        ["2031-05-04", "4-5-2031", "It is 04-05-2031"],
    ),
    ("Return the date as Wkd DD Mon YYYY only.", "date", ["Sun 04 May 2031"], ["Sunday 04 May 2031"]),
    ("Gib das Datum nur als TT.MM.JJJJ an.", "date", ["04.05.2031"], ["2031-05-04"]),
    ("Answer with the date as YYYY-MM-DD and the weekday.", "date", ["2031-05-04, a Sunday"], ["04.05.2031, a Sunday"]),
    # numbers
    ("How many? Answer with number only.", "number", ["7", "1,199", "-3.5", " 7\n"], ["7 books", "seven", "It is 7"]),
    ("How many? Just the number, please.", "number", ["7"], ["7 books"]),
    ("Wie viele? Nur die Zahl, bitte.", "number", ["7"], ["7 Bücher"]),
    # codes
    ("Which lamp? Return the SKU only.", "code", ["AB-7/x"], ["It is AB-7", "AB-7 or AB-8"]),
    ("Set it to closed. Answer with its id only.", "code", ["basket-17"], ["basket-17 is closed"]),
    ("Which code? Just the code, please.", "code", ["AB-7"], ["The code is AB-7"]),
]


@pytest.mark.parametrize(("instruction", "kind", "kept", "broken"), KEPT_AND_BROKEN)
def test_a_demand_accepts_its_form_alone(instruction: str, kind: str, kept: list[str], broken: list[str]) -> None:
    (clause,) = derive_clauses(instruction)
    assert form_kinds(instruction) == {kind}
    assert [answer for answer in (*kept, *broken) if clause.accepts(answer)] == kept


@pytest.mark.parametrize(
    "instruction",
    [
        "How long does a loan run?",
        "",
        "What is the phone? Only call if needed.",
        "Delete only files that end in `.tmp`.",
        'Give 10% discount on "books".',
        "Name the file after the date, YYYY-MM-DD.",
        "Return only names.",
        "Answer only in English.",
        "The desk writes days as DD-MM-YYYY. How many loans are late?",
        'The log holds "%d" for every row.',
        'Answer briefly and cite rows as "x#row=%d".',
        "Write a file with the number only and reply when it is done.",
        "If it is late, answer with the number only.",
        "Do not answer with the number only.",
        "The customer said to answer with the number only.",
        "Could you answer with the number only?",
        "Return the number of the house only.",
        "Answer with the ids only.",
        "How many? Answer with number only. Reply as YYYY-MM-DD only.",
        "Wenn es spät ist, antworte nur mit der Zahl.",
    ],
)
def test_what_is_not_certain_is_not_demanded(instruction: str) -> None:
    assert derive_clauses(instruction) == ()


@pytest.mark.parametrize(
    "piece", ["answer only ", '"%d" ', "only ", "x", "(", "DD-", "<A:%d", "please and then ", "`", "\n"]
)
def test_hostile_instructions_take_bounded_time(piece: str) -> None:
    began = time.process_time()
    derive_clauses(piece * (100_000 // len(piece)))
    assert time.process_time() - began < 2
