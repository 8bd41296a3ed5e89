"""What supports each value of an answer: a text, a computation, the question, or nothing."""

import contextlib
import html
import io
import re
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.footnotes import footnoted, support_text, unverified_in
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.matching.line_search import COST_OF_READING, MAX_LINES
from controlplane.gates.support.sources.places import UNKNOWN_NUMBERS, LineNumbers
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.stated_values import values_reported
from controlplane.gates.support.trial_marker import marker_of
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.accesses import Access, SeenText
from controlplane.gates.trial.changes import Change
from controlplane.gates.trial.script_runs import ScriptRun
from controlplane.sandbox.interface import bounds


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("4 May 2031", "due 2031-05-04"),
        ("4 May", "due 2031-05-04"),
        ("04/05/2031", "due 2031-04-05"),
        ("2027-04-07", "20270407"),
        ("7 April 2027", "2027\u201104\u201107"),
        ("11 November", "Geschlossen am 11.11. und am 24.12."),
        ("March 2026", "paid 2026-03-12"),
        ("14:00", "from 14:00 on"),
        ("9:00", "otwarte od godz. 9.00"),
        ("11:30", "Møtet begynner kl. 11.30"),
        ("15:00 CEST", "starts at 13:00 UTC"),
        ("13th", "the 13 of them"),
        ("the 21st", "21 entries"),
        ("5 m³", "5 cubic metres"),
        ("3.5 hours", "3½ hours"),
        ("61,899,000 yen", "6,189万9,000円"),
        ("3 [4] hours", "It takes 3 hours."),
        ("10-12 %", "10–12 % of all"),
        ("+49301234567", "Tel. +49 30 1234567"),
        ("6.5450", "item,price\nscrew,6.545"),
        ("38,4 g", "sample;weight_g;share\nB-1;38,4;1,28"),
        ("238,000 円", "売上 (万円)\n23.8"),
        ("b_104", "the book B-104"),
        ("INV-9999", "請求書INV-9999の金額"),
        ("3.45 MW", "rated 3450 kW"),
        ("2048 MiB", "The disk has 2 GiB."),
        ("15 %", "a share of 15 percent"),
        ("47,315 EUR", "year,revenue_eur\n2025,47315"),
        ("1.3 million", "1,283,400"),
        ("3.4 million euros", "Sales (in million euros)\n2009 3.4"),
        ("12.5 thousand", "Thefts [in thousands]\n2009 12.5"),
        ("3.1.0", "python < '3.10'\nwerkzeug>=3.1.0,"),
        ("2026", "令和8年の報告"),
        ("48 350 zł", "Razem: 48 350,00 zł"),
        ("500 SEK", "Pris: 500 kr"),
        ("39,99 EUR", "Entgelt 39,99 EUR/Monat"),
        ("EUR 1,299.00", "price_cents: 129900"),
        ("15/11/2027", "El contrato vence el 15 de noviembre de 2027."),
        ("2026-05-11", "納期は2026年5月11日（月）です。"),
        ("35,000元", "合同金额为人民币3.5万元,期限18个月。"),
        ("0.23 s", "latency p95: 230 ms"),
        ("July 4, 1776", "signed on 4th July, 1776"),
        ("+1 415 555 0134", "phone: +1 (415) 555-0134"),
        ("−12.5 °C", "temp: -12.5 °C at noon"),
    ],
)
def test_a_value_is_stated_in_any_spelling(answer: str, text: str) -> None:
    values = [value.text for value in answer_values(answer)]

    assert values != []
    assert values_reported(answer, text) == values


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("12 March 2026", "in 2026-03"),
        ("2031-05-04", "every 4 May"),
        ("5 May 2031", "due 2031-05-04"),
        ("120 EUR", "121 EUR"),
        ("47,300 EUR", "47315 EUR"),
        ("47,400 EUR", "47315 EUR"),
        ("9:00", "closes at 17:00"),
        ("17:10", "05:10"),
        ("15:00 CEST", "from 14:00 on"),
        ("15:00", "from 14:00 on"),
        ("18時間", "18:00に閉まる"),
        ("2048 MiB", "There are 2 doors."),
        ("45000 g", "Room 7 has 45 seats."),
        ("2700 minutes", "Room 7 has 45 seats."),
        ("27 days", "portes_eur: 27.15"),
        ("45 %", "45 seats"),
        ("350 zł", "48 350,00 zł"),
        ("2026", "令和9年の報告"),
        ("9999", "INV-9998の"),
        ("FB-1934-02", "FA-1934-02"),
        ("1234567", "+49 30 1234567"),
        ("28 g", "sample;weight_g;share\nB-1;38,4;1,28"),
        ("1199 kg", "weight 1.199 kg"),
        ("b-105", "the book B-104"),
        ("3.3 MW", "rated 3450 kW"),
        ("2 months", "2 weeks"),
        ("47,315 EUR", "year,revenue_usd\n2025,47315"),
        ("47,315 thousand EUR", "47,315 EUR"),
        ("12.5 million", "Thefts [in thousands]\n2009 12.5"),
        ("It was 11,453 thousand of the total", "2010 11453"),
        ("3.1.0", "310 ml, since 3.10, not 13.1.0 nor 3.1.0.2"),
        ("20.00 EUR", "(20:00)"),
        ("23 items", "since 2023"),
        ("5 °C", "-5 °C"),
        ("90 km", "speed 90 km/h"),
        ("10:00 CET", "10:00 JST"),
        ("30円", "費用は3万円"),
        ("2 GB", "2 GiB"),
        ("2.14", "v2.14.3"),
        ("1.5 billion EUR", "1.5 million EUR"),
    ],
)
def test_a_text_with_a_similar_value_does_not_state_it(answer: str, text: str) -> None:
    assert values_reported(answer, text) == []


FILES = {
    "/loans.csv": (
        "loan,until,fee_eur\nL-01,2026-03-01,300\nL-02,2026-05-09,470\nL-03,2026-06-02,300\n"
    ),
    "/rules.md": (
        "# Rules\n\nA loan runs 21 days. The fee is 5 % of the price.\nOpen from 09:30 to 20:00.\n"
    ),
    "/old.md": "The fee was 470 EUR in 2019.\n",
}


def marks_of(
    answer: str,
    *,
    steps: Sequence[ScriptRun] = (),
    cited: Sequence[str] = ("/loans.csv",),
    question: str = "?",
) -> tuple[Mark, ...]:
    """Return the marks of an answer's values, after a trial that read all of `FILES`."""
    sources = [Source(path, text) for path, text in FILES.items()]
    marker = ValueMarker(sources, question, steps=steps, cited=frozenset(cited))
    return marker.marks(answer)


def only_mark(answer: str, text: str) -> Mark:
    """Return the mark of an answer with one value, after a trial that read this text."""
    marks = ValueMarker([Source("/a.md", text)]).marks(answer)
    assert len(marks) == 1, marks
    return marks[0]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("L-02 ends on 9 May 2026.", ["/loans.csv:3", "/loans.csv:3"]),
        ("The fee of L-02 is 470 EUR.", ["/loans.csv:3", "/loans.csv:3"]),
        ("The fee was 470 EUR in 2019.", ["/old.md:1", "/old.md:1"]),
        ("It is open until 20:00.", ["/rules.md:4"]),
        ("There are 3 loans.", []),
        ("\u201cA loan runs 21 days\u201d", ["/rules.md:3"]),
    ],
)
def test_a_value_is_found_where_it_stands(answer: str, expected: list[str]) -> None:
    assert [support_text(mark) for mark in marks_of(answer, cited=())] == expected


@pytest.mark.parametrize(
    ("answer", "unverified"),
    [
        ("It costs 470 USD.", ["470"]),
        ("It costs 471 EUR.", ["471"]),
        ("It costs 20.00 EUR.", ["20.00"]),
        ("1. See L-09.", ["L-09"]),
        ("\u201cA loan runs 22 days\u201d", ["A loan runs 22 days"]),
        ("300 EUR and 470 EUR are 770 EUR.", ["770"]),
    ],
)
def test_a_value_that_stands_nowhere_is_unverified(
    answer: str, unverified: list[str]
) -> None:
    assert unverified_in(marks_of(answer, cited=())) == unverified


def test_a_rounded_value_says_what_it_is_rounded_from() -> None:
    mark = only_mark("It weighs 6.5 kg.", "weight: 6.545 kg of 12.5 kg")

    assert support_text(mark) == "/a.md:1 (rounded from 6.545)"


def test_a_converted_value_says_what_stands_there() -> None:
    mark = only_mark("It is rated 3.45 MW.", "rated 3450 kW")

    assert support_text(mark) == "/a.md:1 (3450 kW)"


def test_an_unverified_value_names_the_nearest_one_and_its_place() -> None:
    mark = only_mark("The shop closes at 17:00.", "x\nThe shop opens at 9:00.")
    assert support_text(mark) == "unverified; nearest: 9:00, /a.md:2"


def test_a_file_s_name_gives_no_day_and_no_amount() -> None:
    marker = ValueMarker([], names="/reports/2026-03.csv")
    answer = "In March 2026 it was 12 March 2026, at 20.26 EUR."

    assert unverified_in(marker.marks(answer)) == ["12 March 2026", "20.26"]


# Computed

READ = 'import csv\nrows = list(csv.DictReader(harness.read("/loans.csv").content.splitlines()))\n'
SUM = READ + 'total = sum(int(row["fee_eur"]) for row in rows)\n'


def ran(code: str, result: str) -> ScriptRun:
    """Return a script with its result: printed, or stored if the script prints nothing."""
    if "print" in code:
        return ScriptRun(code, f"{result}\n")
    return ScriptRun(code, stored={"x": result})


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (SUM + "print(total)", "1070"),
        (SUM + "print(f'{total:,} in all')", "1,070 in all"),
        (SUM + "scratchpad['x'] = total", "1070"),
        (SUM + "print('=' * 20)\nprint(total)", f"{'=' * 20}\n1070"),
        (SUM + "for n in range(2):\n    print('=' * 20)\n    print(total)", "1070"),
        (
            SUM + "def verify(sp):\n    return '1,070' in sp['answer']\nprint(total)",
            "1070",
        ),
        (
            "fees = harness.table('/loans.csv', columns='sum(fee_eur) s').rows\nprint(fees)",
            "1070",
        ),
        ("print(470 + 300 + 300)", "1070"),
    ],
)
def test_a_script_computes_what_it_prints_from_what_was_read(
    code: str, printed: str
) -> None:
    [mark] = marks_of("All cost 1,070 EUR.", steps=[ran(code, printed)])
    assert mark.support == "computed"


class ReadableFiles:
    """The calls of the environment that the scripts of these tests make."""

    def read(self, path: str) -> SimpleNamespace:
        return SimpleNamespace(content=FILES[path])

    def earlier(self) -> dict[str, int]:
        return {"total": 1070}


def played(code: str) -> ScriptRun:
    """Run a script, and return it with what it printed and stored."""
    stored: dict[str, object] = {}
    printed = io.StringIO()
    console = SimpleNamespace(log=print)
    with contextlib.redirect_stdout(printed):
        exec(
            code, {"harness": ReadableFiles(), "scratchpad": stored, "console": console}
        )
    return ScriptRun(code, printed.getvalue(), stored)


BIG = SUM + "big = sum(1 for row in rows if int(row['fee_eur']) > 8000)\n"


@pytest.mark.parametrize(
    "code",
    [
        "scratchpad['answer'] = f'All cost {total:,} EUR.'\nprint(rows, big)",
        "text = f'{total:,}'\nscratchpad['answer'] = 'All cost ' + text + ' EUR.'\nprint(total, big)",
        "scratchpad['answer'], scratchpad['n'] = f'All cost {total:,} EUR.', big",
        "print(f'{big} above, all cost {total:,} EUR.')",
        "print(f'{big} above')\nprint('total', total)",
        "for row in rows:\n    print(row, big)\nprint('total:', total)",
        "console.log('total:', total)\nif big:\n    print(big)",
        "scratchpad['total'] = total\nscratchpad['big'] = big",
        "scratchpad['all'] = [total]\nscratchpad['big'] = {'n': big}",
        "def shown(number, limit=8000):\n    return f'{number}'\nprint(big, shown(total), sep=': ')",
    ],
)
def test_only_the_inputs_of_the_expression_that_gave_a_value_decide(code: str) -> None:
    [mark] = marks_of("All cost 1,070 EUR.", steps=[played(BIG + code)])
    assert mark.support == "computed"


@pytest.mark.parametrize(
    "code",
    [
        "n = 0\nfor row in rows:\n    n += 1\nprint(f'{n}5')",
        "print(str(len(rows)) + '5')",
        "print(f'{len(rows)}{5}')",
        "print(len(rows), end='')\nprint(5)",
        "print(len(rows) + 32, sep='')",
        "print(len(rows) * 0 + int('z', 36))",
        "print(len(rows) * 0 + ord('#'))",
        "console.log(len(rows))\nconsole.log(sum([20, 15]))",
        "print(len(rows))\nprint(f'x\\n{20 + 15}')",
        "def say(text):\n    print(text)\nsay(len(rows))\nsay(20 + 15)",
        "say = print\nsay(20 + 15)\nprint(len(rows))",
        "list(map(print, [len(rows), 20 + 15]))",
        "print(len(rows))\nscratchpad.update(x=20 + 15)",
        "scratchpad['x'] = []\nscratchpad['x'].append(20 + 15)\nprint(scratchpad['x'], len(rows))",
        "out = {}\nout.setdefault('a', []).append(20 + 15)\nprint(len(rows), out)",
        "out = [len(rows)]\nsame = out\nsame.append(20 + 15)\nprint(out)",
        "def put(xs, x):\n    xs.append(x)\nout = [len(rows)]\nput(out, 20 + 15)\nprint(out)",
        "import heapq\nout = [len(rows)]\nheapq.heappush(out, 20 + 15)\nprint(out)",
        "class Box:\n    pass\nbox = Box()\nbox.x = 20 + 15\nprint(box.x, len(rows))",
        "match 20 + 15:\n    case n:\n        print(n, len(rows))",
        "print(harness.earlier()['total'] - 1035 + len(rows) * 0)",
        "def same(x):\n    return x\n" * 11 + "print(same(20 + 15), len(rows))",
        "class Mine:\n    def read(self, path):\n        return 35\n"
        "harness = Mine()\nprint(harness.read('/loans.csv'))",
        "functions = {'a': lambda x: x}\nprint(functions['a'](20 + 15), len(rows))",
        "try:\n    raise ValueError(20 + 15)\nexcept ValueError as e:\n    print(e, len(rows))",
    ],
)
def test_a_constant_is_not_computed_by_what_stands_beside_it(code: str) -> None:
    answer = "All cost 35 EUR."
    [mark] = marks_of(answer, steps=[played(READ + code)])

    assert mark.support == "unverified"


def test_a_count_is_computed_from_what_is_counted() -> None:
    code = (
        "lines = harness.read('/long.md').content.splitlines()\n"
        "n = 0\nfor line in lines:\n    if line:\n        n += 1\nprint(n)"
    )
    [mark] = marks_of("It has 35 lines.", steps=[ScriptRun(code, "35\n")])

    assert mark.support == "computed"
    assert "/long.md" in mark.note


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("print(1070)", "1070"),
        ("print('1,070')", "1,070"),
        ("print(535 + 535)", "1070"),
        ("print(sum([1000, 70]))", "1070"),
        ("print(int('tq', 36))", "1070"),
        ("scratchpad['x'] = str(535 + 535)", "1070"),
        ("print(harness.earlier()['total'])", "1070"),
        (SUM + "print(total + 711 - 711)", "1070"),
        (READ + "print(len(rows))\nprint(sum([1000, 70]))", "3\n1070"),
        ("print((", "1070"),
        (
            "print(harness.table('/loans.csv', sql='select 500+570 x from t').rows)",
            "1070",
        ),
        (
            "print(harness.table('/loans.csv', sql='select 535 * 2 x from t').rows)",
            "1070",
        ),
        (
            "print(harness.table('/loans.csv', sql=\"select unicode('Ю') + 5 x\").rows)",
            "1070",
        ),
        (
            "print(harness.table('/loans.csv', sql=\"select printf('%d%d', 9+1, 70)\").rows)",
            "1070",
        ),
    ],
)
def test_a_constant_out_of_nothing_is_not_computed(code: str, printed: str) -> None:
    [mark] = marks_of("All cost 1,070 EUR.", steps=[ran(code, printed)])
    assert mark.support == "unverified"


def evidence_of_a_write(*, still_there: bool = True, deleted: bool = False) -> Evidence:
    """Return the evidence of a trial that changed the grade of a person from E3 to E4."""
    changes = [Change("/jonas.md", "write")]
    if deleted:
        changes.append(Change("/jonas.md", "delete"))
    old = SeenText("grade: E3\n")
    new = SeenText("grade: E4\n", is_proof=False)
    last = new if still_there else SeenText("grade: E3\n", is_proof=False)
    return Evidence(
        has_trace=True,
        accesses={
            "/jonas.md": Access("/jonas.md", frozenset({"read", "write"}), (old, last))
        },
        changes=tuple(changes),
    )


def test_a_value_that_the_trial_wrote_into_a_cited_file_is_marked_as_written() -> None:
    marker = marker_of(evidence_of_a_write(), "", ["/jonas.md"], [], [])

    [mark] = marker.marks("Now at E4.")

    assert support_text(mark) == "written to /jonas.md:1"


@pytest.mark.parametrize(
    ("evidence", "cited"),
    [
        (evidence_of_a_write(), []),
        (evidence_of_a_write(still_there=False), ["/jonas.md"]),
        (evidence_of_a_write(deleted=True), ["/jonas.md"]),
    ],
    ids=["not cited", "undone", "deleted"],
)
def test_a_written_value_counts_only_in_a_cited_file_that_has_it(
    evidence: Evidence, cited: list[str]
) -> None:
    marker = marker_of(evidence, "", cited, [], [])

    assert unverified_in(marker.marks("Now at E4.")) == ["E4"]


def test_a_computed_value_names_its_rows() -> None:
    code = "fees = harness.table('/stock.csv', where=\"kind = 'a'\").rows\nprint(sum(fees))"
    rows = Source(
        "/stock.csv",
        "item,kind,fee\nx,a,300\ny,a,470\nz,a,300",
        LineNumbers((1, 4, 9, 12)),
    )
    [mark] = ValueMarker([rows], steps=[ScriptRun(code, "1070\n")]).marks(
        "All cost 1,070 EUR."
    )

    assert (
        support_text(mark) == "= sum(fees), from 3 rows of /stock.csv, lines 4, 9, 12"
    )


def test_a_computed_value_shows_the_expression_behind_a_name_in_a_text() -> None:
    [mark] = marks_of(
        "All cost 1,070 EUR.",
        steps=[ran(SUM + "print(f'{total:,} in all')", "1,070 in all")],
    )

    assert "sum(" in support_text(mark)
    assert "in all" not in support_text(mark)


def test_a_computed_value_names_its_files_in_the_same_order_in_each_run() -> None:
    names = ["north", "south", "east", "west", "hills"]
    code = "sales = harness.read('/regions.json').json()\n"
    for name in names:
        code += f"{name} = sales['{name}']\n"
        code += f"{name}.append(harness.read('/{name}.csv').content)\n"
    code += "print(sum(sales))"
    [mark] = marks_of("All cost 1,070 EUR.", steps=[ran(code, "1070")])
    files = re.findall(r"/(\w+)\.", mark.note)

    assert files == ["west", "south", "north", "hills", "east", "regions"]


def test_a_value_of_a_query_shows_the_query() -> None:
    code = "print(harness.table('/loans.csv', columns='sum(fee_eur) s').rows)"
    query = Source("/loans.csv", "s\n1070", UNKNOWN_NUMBERS)
    marker = ValueMarker([], steps=[ScriptRun(code, "1070\n")], query_results=[query])
    [mark] = marker.marks("All cost 1,070 EUR.")

    assert (
        support_text(mark) == "= harness.table('/loans.csv', columns='sum(fee_eur) s')"
    )


@pytest.mark.parametrize(
    "answer",
    [
        "Fees: 300 + 470 = 770 EUR",
        "770 EUR: 300 EUR for L-01 and 470 EUR for L-02",
        "From 2026-03-01 to 2026-05-09, 69 days.",
        "It opens at 09:30 and closes 630 minutes later, at 20:00.",
    ],
)
def test_arithmetic_in_the_answer_computes_its_result(answer: str) -> None:
    marks = marks_of(answer, cited=(), question="How many minutes, 630?")

    assert unverified_in(marks) == []


def test_values_beside_a_percentage_are_found() -> None:
    answer = "L-01 is 63.83 % cheaper than... 300 of 470 EUR (63.83 %)"

    marks = marks_of(answer, cited=(), question="How many minutes, 630?")

    assert set(unverified_in(marks)) <= {"63.83"}


def test_arithmetic_with_an_unsupported_operand_computes_nothing() -> None:
    assert unverified_in(marks_of("Fees: 300 + 471 = 771 EUR")) == ["471", "771"]


# Tables and long texts


def test_numbers_of_a_page_s_table_stand_apart() -> None:
    page = "Permit Handgun Long_Gun Other\nUtah 10,429 4,314 5,857 195 262\n"
    marker = ValueMarker([Source("/p.pdf/page-1", page)])
    marks = marker.marks("4,314 handguns, 5,857 long guns, 195 others.")

    row_of_utah = "/p.pdf/page-1:2"
    assert [support_text(mark) for mark in marks] == [row_of_utah] * 3


@pytest.mark.parametrize(
    ("text", "answer", "supports"),
    [
        (
            "17 342.5 9\n216 20000",
            "342.5, 216 and 20,000.",
            ["found", "found", "found"],
        ),
        (
            "2025-06-03;2891.35",
            "We paid EUR 9,999.35 on 3 June 2025.",
            ["unverified", "found"],
        ),
        ("2025-Q1;3", "In the first quarter of 2025.", ["found"]),
        ("memory: 512Mi\nlimit: 2Gi", "It has 512 MiB of 2 GiB.", ["found", "found"]),
        ("[1,2,15,68]", "It is 15 and 68.", ["found", "found"]),
        ('a,b\n"1,250.00",3', "It is 1250 EUR.", ["found"]),
    ],
)
def test_a_value_of_a_file_is_found_as_it_stands_there(
    text: str, answer: str, supports: list[str]
) -> None:
    """`supports` has one word for each value of the answer, in its order."""
    marks = ValueMarker([Source("/a.txt", text)]).marks(answer)

    assert [mark.support for mark in marks] == supports


def test_a_value_is_looked_up_in_long_files() -> None:
    # 20,000 lines such as `00017 10:17 took 999 ms`; no line has the number 50999.
    lines = [f"{n:05d} 10:{n % 60:02d} took 999 ms" for n in range(20_000)]
    marker = ValueMarker([Source("/app.log", "\n".join(lines))])

    marks = marker.marks("999 ms, 50,999 and 10:17.")

    assert [mark.support for mark in marks] == ["found", "unverified", "found"]


def test_values_beside_many_printed_lines_are_marked_by_reading_few_of_them() -> None:
    """A script printed 9,000 lines. The answer has 100 values of which none is there."""
    script = (
        "for row in harness.read('/rows.csv').content.splitlines():\n    print(row)"
    )
    printed_lines = [
        f"row {n}: {n % 97} units on 2031-05-{n % 28 + 1:02d}" for n in range(9_000)
    ]
    run = ScriptRun(script, "\n".join(printed_lines))
    marker = ValueMarker([], steps=[run])

    marks = marker.marks(", ".join(f"{n} units" for n in range(5_000, 5_100)))

    assert {mark.support for mark in marks} == {"unverified"}
    assert lines_read(marker) <= MAX_LINES / COST_OF_READING


def lines_read(marker: ValueMarker) -> int:
    """Return the printed lines whose values were read."""
    read_lines = 0
    for output in marker.computations.written.outputs:
        for source in output._sources.values():
            read_lines += sum(map(source.values.are_read, range(len(source.lines))))
    return read_lines


@pytest.mark.parametrize(
    "piece",
    ["7 ", "2031-05-04 ", "a1-", '"', "1.", "+31 20 ", "„x", "10:00 ", "May 4, "],
)
def test_hostile_texts_take_bounded_time_and_give_bounded_values(piece: str) -> None:
    """An answer of 200,000 characters is read, and a text of 80,000 is searched."""
    long_answer = piece * (200_000 // len(piece))
    long_text = piece * (80_000 // len(piece))

    started = time.process_time()
    values = answer_values(long_answer)
    values_reported("2031-05-05, 4711 EUR, b-105, 11:11", long_text)

    assert time.process_time() - started < 10
    assert len(values) <= 30 * bounds.MOST_READ_VALUES


def test_digits_of_any_number_are_marked() -> None:
    assert unverified_in(marks_of("It is " + "9" * 5_000)) == ["9" * 5_000]


def test_a_value_is_found_first_where_a_citation_quotes_it() -> None:
    """`added: 3.1` is in lines 4 and 37. The citation quotes line 37, with the one before."""
    beginning = ["# Keys", "LIMIT", "added: 3.10", "added: 3.1"]
    end = ["PARTS", "parted cookies", "added: 3.1", "4 MB"]
    lines = [*beginning, *["..."] * 30, *end]
    source = Source("/config.rst", "\n".join(lines))
    quoted_parts = list(source.quoted_parts("parted  cookies\nadded: 3.1"))
    marker = ValueMarker([source], cited=frozenset({source.path}), quoted=quoted_parts)

    version_mark, size_mark = marker.marks("Since 3.1; 4 MB.")

    assert version_mark.place is not None
    assert version_mark.place.line == 37
    assert size_mark.place is not None
    assert size_mark.place.line == 38
    # Without the line before, the first place counts; `3.10` begins like the quotation.
    assert source.line_of_quotation("added: 3.1") == 3
    assert list(source.quoted_parts("added: 3.2")) == []


@pytest.mark.parametrize(
    ("cited_path", "support"), [("/rules.md", "given"), ("/old.md", "found")]
)
def test_the_question_s_own_value_has_no_place_in_a_file_that_is_not_cited(
    cited_path: str, support: str
) -> None:
    """Of the two files, only `/old.md` has the value."""
    [mark] = marks_of(
        "The fee was 470 EUR.", question="Was the fee 470 EUR?", cited=(cited_path,)
    )

    assert mark.support == support


def test_footnotes_name_places_and_roundings_and_mark_nothing_in_code_blocks() -> None:
    answer = "About 1,283 EUR.\n\n```\nfee = 999\n```\nNot 555 EUR (L-01)."
    marker = ValueMarker([Source("/a.md", "It is 1283.40 EUR for L-01.\n")])
    text, notes = footnoted(answer, marker.marks(answer))

    assert text == (
        "About 1,283 [1] EUR.\n\n```\nfee = 999\n```\n"
        "Not 555 [unverified; nearest: 1283.40, /a.md:1] EUR (L-01 [2])."
    )
    assert notes == (
        "  [1] /a.md:1 (rounded from 1283.40)\n  [2] /a.md:1\nunverified: 555"
    )


def test_a_result_in_kilograms_supports_its_rounded_weight_but_no_percentage() -> None:
    marker = ValueMarker([Source("/a.md", "It is 13.9 kg, and 12.0 kg.\n")])
    answer = "13.9 kg + 12.0 kg = 25.9 kg: about 26 kg, and not 26 %."

    *_calculation_marks, weight_mark, percentage_mark = marker.marks(answer)

    assert weight_mark.value.unit == "kg"
    assert weight_mark.support == "computed"
    assert percentage_mark.value.unit == "%"
    assert percentage_mark.support == "unverified"


def test_the_path_in_a_note_beside_an_unverified_value_is_escaped() -> None:
    marker = ValueMarker([Source("/<b>.md", "It is 1283.40 EUR for L-01.\n")])
    answer = "It is 555 EUR for L-01."
    text, _notes = footnoted(answer, marker.marks(answer), escape=html.escape)

    assert "/&lt;b&gt;.md:1]" in text


SHARED_QUESTIONS = Path(__file__).parents[3] / "shared" / "ask"
# What is unverified in each answer of a set with kinds of mistakes. It is empty for mistakes
# that no value shows.
UNVERIFIED_BY_MISTAKE = {
    "01-invented-figure": "23",
    "02-wrong-unit": "47,315",
    "02b-wrong-unit-k": "47,315",
    "02c-wrong-unit-time": "",  # the file states no unit, so none speaks against it
    "02d-wrong-unit-notice": "2",
    "03-wrong-row": "",  # the value stands there; the footnote shows the row
    "04-stitched-quote": "The server room may be entered by Otto Lindgren with the consent of Priya Raman.",
    "05-earlier-year": "",  # as above
    "06-wrong-rounding": "48",
    "06b-wrong-rounding2": "47,400",
    "06c-right-rounding": "47,300",  # nothing says that it is rounded
    "07-wrong-name": "",  # names are not values
    "07b-wrong-name-invented": "",
    "08-claims-edit": "",  # 60 is given by the question; below the answer stands `changed: nothing`
    "09-omitted-condition": "",  # no value tells what was left out, denied, or replaced later
    "10-stale-version": "",
    "10b-stale-both-read": "",
    "11-negated": "",
    "12-wrong-sum-computed": "92,375",
    "13-wrong-percent": "4.3",
    "14-small-count": "5",  # a number with a unit; a bare count up to twelve is not marked
    "15-wrong-code-place": "TIMEOUT = 45",
    "16-hardcoded-print": "231",
    "17-swapped": "",  # both values stand there; the footnotes show the rows
}


def shared_source(path: str) -> Source:
    """Read a file of the folder that the shared questions are about: UTF-8 or UTF-16."""
    data = (SHARED_QUESTIONS / "mini" / path.removeprefix("/")).read_bytes()
    utf_16_mark = b"\xff\xfe"
    encoding = "utf-16" if data.startswith(utf_16_mark) else "utf-8"
    return Source(path, data.decode(encoding))


@pytest.mark.skipif(
    not SHARED_QUESTIONS.exists(), reason="the shared questions are not here"
)
@pytest.mark.parametrize(("name", "unverified"), UNVERIFIED_BY_MISTAKE.items())
def test_kinds_of_mistakes_are_marked_as_far_as_a_value_shows_them(
    name: str, unverified: str
) -> None:
    """The script of each answer is not run: its files and its answer are taken from its text.

    It reads them with `for p in ['/a.md', '/b.md']`, and has `scratchpad['answer']='...'`.
    """
    folder = SHARED_QUESTIONS / "C"
    question = (folder / f"{name}.q").read_text(encoding="utf-8")
    replies = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    script = replies["reply"][0]["code"]
    path_list = re.search(r"for p in (\[.*?\])", script)
    assert path_list is not None
    answer = re.search(r"scratchpad\['answer'\]='(.*)'\n", script)
    assert answer is not None

    sources = [shared_source(path) for path in re.findall(r"'(/[^']+)'", path_list[1])]
    # Only the script that prints a number of its own (16-hardcoded-print) prints anything.
    printed = "complaints: 231\n" if "230+1" in script else ""
    marker = ValueMarker(
        sources,
        question,
        names="\n".join(source.path for source in sources),
        steps=[ScriptRun(script, printed)],
    )

    assert ", ".join(unverified_in(marker.marks(answer[1]))) == unverified
