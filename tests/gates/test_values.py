"""Values of a text, found in every format, and what each value of an answer is marked with: where, in which words."""

import re
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from controlplane.gates.marks import (
    Marker,
    Source,
    footnoted,
    literals_of,
    unverified_in,
    values_reported,
)
from controlplane.gates.values import values_in
from controlplane.sandbox.interface import bounds


@pytest.mark.parametrize(
    ("said", "text", "is_held"),
    [
        ("4 May 2031", "due 2031-05-04", True),
        ("4 May", "due 2031-05-04", True),
        ("2031-05-04", "every 4 May", True),
        ("04/05/2031", "due 2031-04-05", True),
        ("04.05.2031", "due 2031-04-05", False),
        ("5 May 2031", "due 2031-05-04", False),
        ("+31 20 555 0134", "phone: +31-20-5550134", True),
        ("b_104", "the book B-104", True),
        ("b-105", "the book B-104", False),
        ("3.45 MW", "rated 3450 kW", True),
        ("3.3 MW", "rated 3450 kW", False),
        ("15 %", "a share of 0.15", True),
        ("2 months", "2 weeks", False),
        ("47,315 EUR", "year,revenue_usd\n2025,47315", False),
        ("47,315 EUR", "year,revenue_eur\n2025,47315", True),
        ("47,300 EUR", "47315 EUR", True),
        ("47,400 EUR", "47315 EUR", False),
        ("47,315 thousand EUR", "47,315 EUR", False),
        ("1.3 million", "1,283,400", True),
        ("3.4 million euros", "Sales (in million euros)\n2009 3.4", True),
        ("12.5 thousand", "Thefts [in thousands]\n2009 12.5", True),
        ("12.5 million", "Thefts [in thousands]\n2009 12.5", False),
        ("11,453 thousand", "2010 11453", False),
        ("3.1.0", "python < '3.10'\nwerkzeug>=3.1.0,", True),
        ("3.1.0", "310 ml, since 3.10, not 13.1.0 nor 3.1.0.2", False),
        ("20.00 EUR", "(20:00)", False),
        ("23 items", "since 2023", False),
        ("14:00", "from 14:00 on", True),
        ("15:00", "from 14:00 on", False),
    ],
)
def test_a_text_states_a_value_in_any_format(said: str, text: str, is_held: bool) -> None:
    assert bool(values_reported(said, text)) is is_held


@pytest.mark.parametrize(
    "piece", ["7 ", "2031-05-04 ", "a1-", '"', "1.", "+31 20 ", "„x", "10:00 ", "May 4, "]
)
def test_hostile_texts_take_bounded_time_and_give_so_many_values(piece: str) -> None:
    began = time.process_time()
    found = values_in(piece * (200_000 // len(piece)))
    values_reported("2031-05-05, 4711 EUR, b-105, 11:11", piece * (80_000 // len(piece)))
    assert time.process_time() - began < 1.5
    assert len(found) <= 6 * bounds.MOST_READ_VALUES


FILES = {
    "/loans.csv": "loan,until,fee_eur\nL-01,2026-03-01,300\nL-02,2026-05-09,470\nL-03,2026-06-02,300\n",
    "/rules.md": "# Rules\n\nA loan runs 21 days. The fee is 5 % of the price.\nOpen from 09:30 to 20:00.\n",
    "/old.md": "The fee was 470 EUR in 2019.\n",
}


def marker(
    steps: Sequence[tuple[str, str]] = (),
    cited: Sequence[str] = ("/loans.csv",),
    question: str = "?",
) -> Marker:
    return Marker(
        [Source(path, text) for path, text in FILES.items()],
        question,
        steps=steps,
        cited=frozenset(cited),
    )


def marked(answer: str, **given: object) -> list[tuple[str, str, str]]:
    marks = marker(**given).marks(answer)  # type: ignore[arg-type] # each row names its own arguments
    return [
        (one.value.text, one.support, f"{one.place.path}:{one.place.line}" if one.place else "")
        for one in marks
    ]


def test_numbers_of_a_page_s_table_stand_apart_and_a_zero_is_looked_up() -> None:
    page = "Permit Handgun Long_Gun Other\nUtah 10,429 4,314 5,857 195 262\n| Trainee | 0 EUR |\n7,50 zł und 6,40 zł\n"
    marks = Marker([Source("/p.pdf/page-1", page)]).marks(
        "4,314 handguns, 5,857 long guns, 0 EUR, 7.50 zł."
    )
    assert [(one.support, one.place and one.place.line) for one in marks] == [
        ("found", at) for at in (2, 2, 3, 4)
    ]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            "Loan L-02 ends on 9 May 2026.",
            [("L-02", "found", "/loans.csv:3"), ("9 May 2026", "found", "/loans.csv:3")],
        ),
        (
            "The fee of L-02 is 470 EUR.",
            [("L-02", "found", "/loans.csv:3"), ("470", "found", "/loans.csv:3")],
        ),
        (
            "The fee was 470 EUR in 2019.",
            [("470", "found", "/old.md:1"), ("2019", "found", "/old.md:1")],
        ),
        ("It costs 470 USD.", [("470", "unverified", "")]),
        ("It costs 471 EUR.", [("471", "unverified", "")]),
        ("It is open until 20:00.", [("20:00", "found", "/rules.md:4")]),
        ("It costs 20.00 EUR.", [("20.00", "unverified", "")]),
        ("There are 3 loans.", []),
        ("1. See L-09.", [("L-09", "unverified", "")]),
        ("\u201cA loan runs 21 days\u201d", [("A loan runs 21 days", "found", "/rules.md:3")]),
        ("\u201cA loan runs 22 days\u201d", [("A loan runs 22 days", "unverified", "")]),
        (
            "Fees: 300 + 470 = 770 EUR",
            [("300", "found", ""), ("470", "found", "/loans.csv:3"), ("770", "computed", "")],
        ),
        (
            "300 EUR and 470 EUR are 770 EUR.",
            [("300", "found", ""), ("470", "found", ""), ("770", "computed", "")],
        ),
    ],
)
def test_a_value_is_marked_by_where_it_stands(
    answer: str, expected: list[tuple[str, str, str]]
) -> None:
    found = marked(answer, cited=())
    assert [(text, support) for text, support, _ in found] == [
        (text, support) for text, support, _ in expected
    ]
    assert all(
        place in ("", told) for (*_, place), (*_, told) in zip(expected, found, strict=True)
    ), found


@pytest.mark.parametrize(
    ("code", "printed", "support"),
    [
        ("print(sum(fees))", "1070\n", "computed"),
        ("print(f'{sum(fees):,} in all')", "1,070 in all\n", "computed"),
        ("text = f'\\n{sum(fees)}'\nprint(text)", "\n1070\n", "computed"),
        ("print(1070)", "1070\n", "unverified"),
        ("print('1,070')", "1,070\n", "unverified"),
        ("print(100 * 10 + 70)", "1070\n", "unverified"),
        ("scratchpad['x'] = str(535 + 535)", '{"x": "1070"}', "unverified"),
        (
            "print(sum(fees))\ndef verify(sp):\n    return '1,070' in sp['answer']",
            "1070",
            "computed",
        ),
        (
            "print(sum(fees))\nharness.answer(scratchpad, lambda sp: '1,070' in sp['answer'])",
            "1070",
            "computed",
        ),
        ("print((", "1070", "computed"),
    ],
)
def test_a_script_computes_what_it_prints_and_does_not_hold_as_a_literal(
    code: str, printed: str, support: str
) -> None:
    assert marked("All cost 1,070 EUR.", steps=[(code, printed)]) == [("1,070", support, "")]


@pytest.mark.parametrize(
    ("text", "answer", "supports"),
    [
        ("17 342.5 9\n216 20000", "342.5, 216 and 20,000.", "found found found"),
        ("2025-06-03;2891.35", "We paid EUR 9,999.35 on 3 June 2025.", "unverified found"),
        ("2025-Q1;3", "In the first quarter of 2025.", "found"),
        ("memory: 512Mi\nlimit: 2Gi", "It has 512 MiB of 2 GiB.", "found found"),
    ],
)
def test_a_value_of_a_stranger_s_file_is_found_as_it_stands_there(
    text: str, answer: str, supports: str
) -> None:
    assert [
        mark.support for mark in Marker([Source("/a.txt", text)]).marks(answer)
    ] == supports.split()


def test_what_a_script_printed_supports_a_value_however_long_the_files_are() -> None:
    log = "\n".join(f"{n:05d} 10:{n % 60:02d} took 999 ms" for n in range(20_000))
    steps = [("print(n, total, rate)", "505 3509.75 84")]
    marks = Marker([Source("/app.log", log)], steps=steps).marks(
        "999 ms, 50,999, 30,999, 505 of €3,509.75 and 84."
    )
    assert [mark.support for mark in marks] == [
        "found",
        "unverified",
        "unverified",
        "computed",
        "computed",
        "computed",
    ]


def test_footnotes_name_places_and_roundings_and_mark_nothing_in_code_blocks() -> None:
    answer = "About 1,283 EUR.\n\n```\nfee = 999\n```\nNot 555 EUR (L-01)."
    sources = [Source("/a.md", "It is 1283.40 EUR for L-01.\n")]
    text, notes = footnoted(answer, Marker(sources).marks(answer))
    assert (
        text == "About 1,283 [1] EUR.\n\n```\nfee = 999\n```\nNot 555 [unverified] EUR (L-01 [2])."
    )
    assert notes == "  [1] /a.md:1 (1283.40, rounded)\n  [2] /a.md:1\nunverified: 555"


def test_literals_are_found_in_any_script_in_bounded_time() -> None:
    for code in (
        "(" * 5_000,
        "-" * 5_000 + "1",
        "1+" * 20_000 + "1",
        "x = " + "[" * 80 + "]" * 80,
        "\0",
        "'\ud800'",
    ):
        assert literals_of(code) is not None


ASKED = Path(__file__).parents[3] / "shared" / "ask"
KINDS = {
    "01-invented-figure": "23",
    "02-wrong-unit": "47,315",
    "02b-wrong-unit-k": "47,315",
    "02c-wrong-unit-time": "",  # The file states no unit, so none speaks against it.
    "02d-wrong-unit-notice": "2",
    "03-wrong-row": "",  # The value stands there; the footnote shows the row.
    "04-stitched-quote": "The server room may be entered by Otto Lindgren with the consent of Priya Raman.",
    "05-earlier-year": "",  # As above.
    "06-wrong-rounding": "48",
    "06b-wrong-rounding2": "47,400",
    "06c-right-rounding": "",
    "07-wrong-name": "",  # Names are not values.
    "07b-wrong-name-invented": "",
    "08-claims-edit": "",  # 60 is given by the question; below the answer stands `changed: nothing`.
    "09-omitted-condition": "",  # No value tells what was left out, denied, or replaced later.
    "10-stale-version": "",
    "10b-stale-both-read": "",
    "11-negated": "",
    "12-wrong-sum-computed": "92,375",
    "13-wrong-percent": "4.3",
    "14-small-count": "5",  # A number with a unit; a bare count up to twelve is not marked.
    "15-wrong-code-place": "TIMEOUT = 45",
    "16-hardcoded-print": "231",
    "17-swapped": "",  # Both values stand there; the footnotes show the rows.
}
"""What is unverified in each answer of a set with kinds of mistakes; empty for those that no value tells."""


@pytest.mark.skipif(not ASKED.exists(), reason="the shared questions are not here")
@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_mistakes_are_marked_as_far_as_a_value_tells_them(name: str) -> None:
    reply = tomllib.loads((ASKED / "C" / f"{name}.toml").read_text(encoding="utf-8"))["reply"][0][
        "code"
    ]
    question = (ASKED / "C" / f"{name}.q").read_text(encoding="utf-8")
    read = re.search(r"for p in (\[.*?\])", reply)
    answer = re.search(r"scratchpad\['answer'\]='(.*)'\n", reply)
    assert read is not None
    assert answer is not None
    sources = []
    for path in re.findall(r"'(/[^']+)'", read[1]):
        data = (ASKED / "mini" / path[1:]).read_bytes()
        sources.append(Source(path, data.decode("utf-16" if data[:2] == b"\xff\xfe" else "utf-8")))
    given = [source.path for source in sources]
    marks = Marker(
        sources, question, given, steps=[(reply, "complaints: 231\n" if "230+1" in reply else "")]
    ).marks(answer[1])
    assert ", ".join(unverified_in(marks)) == KINDS[name]


def test_a_value_is_found_first_where_a_citation_quotes_it() -> None:
    lines = [
        "# Keys",
        "LIMIT",
        "added: 3.10",
        "added: 3.1",
        *["..."] * 30,
        "PARTS",
        "parted cookies",
        "added: 3.1",
        "4 MB",
    ]
    source = Source("/config.rst", "\n".join(lines))
    quoted = [*source.quoted("parted  cookies\nadded: 3.1")]
    marks = Marker([source], cited=frozenset({source.path}), quoted=quoted).marks(
        "Since 3.1; 4 MB."
    )
    assert [(one.value.text, one.place and one.place.line) for one in marks] == [
        ("3.1", 37),
        ("4", 38),
    ]
    assert (source.line_of("added: 3.1"), len([*source.quoted("added: 3.1")])) == (3, 2)
    assert [*source.quoted("added: 3.2")] == []


def test_the_question_s_own_value_has_no_place_in_a_file_that_is_not_cited() -> None:
    for cited, support in (("/rules.md", "given"), ("/old.md", "found")):
        found = marked("The fee was 470 EUR.", question="Was the fee 470 EUR?", cited=(cited,))
        assert [(text, said) for text, said, _ in found] == [("470", support)]
