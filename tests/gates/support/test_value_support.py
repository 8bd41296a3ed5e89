"""Each value of an answer is marked with the line of a file that states it, or as unverified.

Values are found in texts, tables, lists, settings and names of files, or given by the question. Of
several files, the one with more of the sentence counts. Long texts and values take bounded work.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from controlplane.gates.support import sources as line_values
from controlplane.gates.support.marks import Mark, support_text, unverified_in
from controlplane.gates.support.sources import COST_OF_READING, MAX_LINES, Place, Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun
from controlplane.gates.values.normal_text import NumberStyle
from controlplane.gates.values.spans import WrittenValue
from controlplane.gates.values.written_values import values_of_line

# Marks of an answer's values: each says which line of a file states the value, if any does.


def marks_of(answer: str, files: Mapping[str, str]) -> tuple[Mark, ...]:
    """Return the marks of an answer's values in order, after a trial that has read these files.

    `marks_of("It is 470 EUR.", {"/a.txt": "470 EUR"})` -> one mark, with the support `found`, whose
    text is `/a.txt:1`.
    """
    sources = [Source(path, text) for path, text in files.items()]
    return ValueMarker(sources).marks(answer)


# A value of an answer is found in the line of a file that states it.
#
#     the file /loans.csv     loan,until,fee
#                             L-02,2026-05-09,470
#     the answer              The fee of L-02 is 470 EUR.
#
# Both values, the id and the amount, are found in `/loans.csv:2`, which is shown to the user.


@pytest.mark.parametrize(
    ("answer", "text", "places"),
    [
        pytest.param(
            "The fee of L-02 is 470 EUR.",
            "loan,fee\nL-01,300\nL-02,470\n",
            ["/a.txt:3", "/a.txt:3, under L-02"],
            id="an id and an amount",
        ),
        pytest.param(
            "It ends on 9 May 2026.",
            "until 2026-05-09\n",
            ["/a.txt:1"],
            id="a date in another form",
        ),
        pytest.param(
            "It is open until 20:00.",
            "Hours\nfrom 09:30 to 20:00\n",
            ["/a.txt:2"],
            id="a time",
        ),
        pytest.param(
            "\u201cA loan runs 21 days\u201d",
            "A loan runs 21 days. The fee is 5 %.\n",
            ["/a.txt:1"],
            id="a quotation",
        ),
    ],
)
def test_a_value_is_found_in_the_line_that_states_it(
    answer: str, text: str, places: list[str]
) -> None:
    marks = marks_of(answer, {"/a.txt": text})

    assert [support_text(mark) for mark in marks] == places


def test_of_two_files_with_a_value_the_one_with_more_of_the_sentence_counts() -> None:
    """Both files state 470, but only one the year."""
    files = {
        "/loans.csv": "loan,fee\nL-02,470\n",
        "/old.md": "The fee was 470 EUR in 2019.\n",
    }

    marks = marks_of("The fee was 470 EUR in 2019.", files)

    assert [mark.place for mark in marks] == [Place("/old.md", 1)] * 2


def test_a_count_up_to_twelve_needs_no_support() -> None:
    assert marks_of("There are 3 loans.", {"/a.txt": "loans\n"}) == ()


# Values of an answer are looked up in few of many lines that a script printed.
#
# The gates look for each value of an answer in what a script printed, and mark it as unverified if
# they do not find it. To read the values of all of 9,000 lines would take too long.

SCRIPT = "for row in harness.read('/rows.csv').content.splitlines():\n    print(row)"


def test_few_of_many_printed_lines_are_read_for_the_values_of_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """None of the lines states one of the hundred values of the answer."""
    read_lines: list[str] = []

    def recorded_values(line: str, style: NumberStyle) -> tuple[WrittenValue, ...]:
        read_lines.append(line)
        return values_of_line(line, style)

    monkeypatch.setattr(line_values, "values_of_line", recorded_values)
    printed_lines = [
        f"row {n}: {n % 97} units on 2031-05-{n % 28 + 1:02d}" for n in range(9_000)
    ]
    run = ScriptRun(SCRIPT, "\n".join(printed_lines))
    answer = ", ".join(f"{n} units" for n in range(5_000, 5_100))

    marks = ValueMarker(sources=[], script_runs=[run]).marks(answer)

    assert {mark.support for mark in marks} == {"unverified"}
    # The budget of an answer is 30,000, and to read the values of one line costs 10 of it.
    assert MAX_LINES / COST_OF_READING == 3_000
    assert 0 < len(read_lines) <= 3_000


# Values of an answer are looked up in long texts, and may be long themselves.
#
# A log may have 20,000 lines, and an answer a number of 5,000 digits. Each value is marked: as
# "found" if the text states it, or else as "unverified".


def test_a_value_is_looked_up_in_long_files() -> None:
    """The file has 20,000 lines such as `00017 10:17 took 999 ms`. The answer has two of their
    values, and the number 50,999, which is in none."""
    lines = [f"{n:05d} 10:{n % 60:02d} took 999 ms" for n in range(20_000)]
    marker = ValueMarker([Source("/app.log", "\n".join(lines))])

    marks = marker.marks("999 ms, 50,999 and 10:17.")

    assert [mark.support for mark in marks] == ["found", "unverified", "found"]


def test_a_number_of_thousands_of_digits_is_marked() -> None:
    """Python refuses to convert so long a number to an integer."""
    number = "9" * 5_000

    marks = ValueMarker([Source("/a.txt", "7\n")]).marks(f"It is {number}")

    assert unverified_in(marks) == [number]


# A value of an answer is unverified if no file that was read states it.
#
# The file says "470 EUR", and the answer "It costs 470 USD." The file states something similar, so
# the user is warned: the 470 is marked `unverified`.


@pytest.mark.parametrize(
    ("answer", "text", "unverified"),
    [
        pytest.param("It costs 470 USD.", "470 EUR\n", ["470"], id="another currency"),
        pytest.param("It costs 471 EUR.", "470 EUR\n", ["471"], id="another amount"),
        pytest.param(
            "It costs 20.00 EUR.", "until 20:00\n", ["20.00"], id="20:00 is a time"
        ),
        pytest.param(
            "1. See L-09.", "L-01\n", ["L-09"], id="an id, and not the item's number"
        ),
        pytest.param(
            "\u201cA loan runs 22 days\u201d",
            "A loan runs 21 days.\n",
            ["A loan runs 22 days"],
            id="a quotation with another number",
        ),
        pytest.param(
            "300 EUR and 470 EUR are 770 EUR.",
            "300 EUR\n470 EUR\n",
            ["770"],
            id="a sum that no script computed",
        ),
    ],
)
def test_a_value_that_no_file_states_is_unverified(
    answer: str, text: str, unverified: list[str]
) -> None:
    marks = marks_of(answer, {"/a.txt": text})

    assert unverified_in(marks) == unverified


# Values of an answer are found in tables, lists and settings, where each cell is one of its own.
#
# A cell such as `4,314` is a value, although only a blank parts it from the next cell. After the text
# "memory: 512Mi", the answer "It has 512 MiB." is supported: its value is marked `found`.


def test_numbers_of_a_table_of_a_pdf_page_are_separate_values() -> None:
    """The text of a page has its columns side by side, with only a blank between them."""
    page = "Permit Handgun Long_Gun Other\nUtah 10,429 4,314 5,857 195 262\n"
    marker = ValueMarker([Source("/p.pdf/page-1", page)])

    marks = marker.marks("4,314 handguns, 5,857 long guns, 195 others.")

    assert [mark.place for mark in marks] == [Place("/p.pdf/page-1", 2)] * 3


@pytest.mark.parametrize(
    ("text", "answer", "supports"),
    [
        (
            "17 342.5 9\n216 20000",
            "342.5, 216 and 20,000.",
            ["found", "found", "found"],
        ),
        (
            # The row has another amount than the answer.
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
def test_a_value_is_found_in_rows_lists_and_settings(
    text: str, answer: str, supports: list[str]
) -> None:
    """Each value of the answer is found, except for the amount in the second case."""
    marks = ValueMarker([Source("/a.txt", text)]).marks(answer)

    assert [mark.support for mark in marks] == supports


# Values of an answer may stand in the name of a file, or in the question of the user.
#
# A mark says where a value of an answer was found. "March 2026" is supported by a listing with
# `/reports/2026-03.csv`, and a value of the question is `given`, unless a cited file states it.


def test_the_name_of_a_file_supports_its_month_but_no_day_and_no_amount() -> None:
    """The trial has seen the file in a listing, and has read nothing."""
    marker = ValueMarker(sources=[], names="/reports/2026-03.csv")

    marks = marker.marks("In March 2026 it was 12 March 2026, at 20.26 EUR.")

    assert unverified_in(marks) == ["12 March 2026", "20.26"]


@pytest.mark.parametrize(
    ("cited_path", "support"),
    [
        pytest.param("/rules.md", "given", id="another file is cited"),
        pytest.param("/old.md", "found", id="the file that states it is cited"),
    ],
)
def test_a_value_of_the_question_is_found_only_in_a_cited_file(
    cited_path: str, support: str
) -> None:
    """The question states the 470 EUR, and so does a file that the trial has read."""
    sources = [
        Source("/old.md", "The fee was 470 EUR in 2019.\n"),
        Source("/rules.md", "A loan runs 21 days.\n"),
    ]
    marker = ValueMarker(sources, "Was the fee 470 EUR?", cited=frozenset({cited_path}))

    (mark,) = marker.marks("The fee was 470 EUR.")

    assert mark.support == support
