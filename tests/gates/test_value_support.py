"""What supports each value of an answer, and what the footnotes below the answer say of it.

For "The fee of L-02 is 470 EUR.", the fee and the id are both found in line 3 of `/loans.csv`. A
value that no text states and no script computed is `unverified`. Values that scripts compute are
tested in `test_computed_values.py`.
"""

from __future__ import annotations

import html
import re
import tomllib
from pathlib import Path

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.support.footnotes import TextFormat, footnoted
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.matching.line_budget import COST_OF_READING, MAX_LINES
from controlplane.gates.support.sources.places import LineNumbers, Place
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import support_text, unverified_in
from controlplane.gates.support.trial_marker import marker_of
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.accesses import Access
from controlplane.gates.trial.changes import Change, ChangingAction
from controlplane.gates.trial.script_runs import ScriptRun
from controlplane.gates.trial.seen_text import SeenText
from tests.gates.marked_answers import marks_of

# Values that a file states
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "places"),
    [
        ("L-02 ends on 9 May 2026.", ["/loans.csv:3", "/loans.csv:3"]),
        ("The fee of L-02 is 470 EUR.", ["/loans.csv:3", "/loans.csv:3"]),
        ("The fee was 470 EUR in 2019.", ["/old.md:1", "/old.md:1"]),
        ("It is open until 20:00.", ["/rules.md:4"]),
        ("There are 3 loans.", []),  # a bare count up to twelve needs no support
        ("\u201cA loan runs 21 days\u201d", ["/rules.md:3"]),
    ],
)
def test_a_value_is_found_in_the_line_that_states_it(
    answer: str, places: list[str]
) -> None:
    """`places` has the file and line of each value of the answer.

    Line 3 of `/loans.csv` is `L-02,2026-05-09,470`, under the heading `loan,until,fee_eur`. The
    line of `/old.md` is "The fee was 470 EUR in 2019.", so here 2019 decides between the two.
    """
    marks = marks_of(answer)

    assert [support_text(mark) for mark in marks] == places


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
def test_a_value_that_no_file_states_is_unverified(
    answer: str, unverified: list[str]
) -> None:
    """The trial has read three files: loans with fees of 300 and 470 EUR, rules with the times
    09:30 and 20:00 and the sentence "A loan runs 21 days", and an old fee of 470 EUR."""
    marks = marks_of(answer)

    assert unverified_in(marks) == unverified


def only_mark(answer: str, text: str) -> Mark:
    """Return the mark of an answer with one value, after a trial that read `text` in `/a.md`."""
    marks = ValueMarker([Source("/a.md", text)]).marks(answer)
    assert len(marks) == 1, marks
    return marks[0]


def test_a_rounded_value_says_what_it_is_rounded_from() -> None:
    mark = only_mark("It weighs 6.5 kg.", text="weight: 6.545 kg of 12.5 kg")

    assert support_text(mark) == "/a.md:1 (rounded from 6.545)"


def test_a_converted_value_says_what_the_file_states() -> None:
    mark = only_mark("It is rated 3.45 MW.", text="rated 3450 kW")

    assert support_text(mark) == "/a.md:1 (3450 kW)"


def test_an_unverified_value_names_the_nearest_one_and_its_place() -> None:
    """The user may see that the answer should have said 9:00."""
    mark = only_mark("The shop closes at 17:00.", text="x\nThe shop opens at 9:00.")

    assert support_text(mark) == "unverified; nearest: 9:00, /a.md:2"


def test_the_name_of_a_file_supports_its_month_but_no_day_and_no_amount() -> None:
    """The trial has seen the file `/reports/2026-03.csv` in a listing, and has read nothing."""
    marker = ValueMarker(sources=[], names="/reports/2026-03.csv")

    marks = marker.marks("In March 2026 it was 12 March 2026, at 20.26 EUR.")

    assert unverified_in(marks) == ["12 March 2026", "20.26"]


@pytest.mark.parametrize(
    ("cited_path", "support"), [("/rules.md", "given"), ("/old.md", "found")]
)
def test_a_value_of_the_question_is_found_only_in_a_cited_file(
    cited_path: str, support: str
) -> None:
    """The question states the 470 EUR, and so does the file `/old.md`, which the trial has read.

    The value is marked as found in the file if the answer cites the file, and otherwise as given
    by the question.
    """
    [mark] = marks_of(
        "The fee was 470 EUR.", question="Was the fee 470 EUR?", cited=(cited_path,)
    )

    assert mark.support == support


def test_a_value_is_found_first_where_a_citation_quotes_it() -> None:
    """The version 3.1 is in two lines. The answer cites the file, and quotes the second of them
    with the line before it. The size, 4 MB, is outside of the quotation."""
    text = """\
added: 3.1
...
parted cookies
added: 3.1
4 MB
"""
    source = Source("/config.rst", text)
    # How many blanks are between two words does not matter.
    quoted_parts = list(source.quoted_parts("parted  cookies\nadded: 3.1"))
    marker = ValueMarker([source], cited=frozenset({source.path}), quoted=quoted_parts)

    version_mark, size_mark = marker.marks("Since 3.1; 4 MB.")

    assert version_mark.place == Place("/config.rst", line=4)
    assert size_mark.place == Place("/config.rst", line=5)


def test_a_quotation_of_one_line_is_found_at_its_first_place() -> None:
    """The line with the index 1 is the first one that is `added: 3.1`. The line before it,
    `added: 3.10`, only begins like the quotation."""
    source = Source("/config.rst", "added: 3.10\nadded: 3.1\n...\nadded: 3.1\n")

    line_index = source.line_of_quotation("added: 3.1")

    assert line_index == 1


def test_a_quotation_that_is_not_in_the_text_has_no_place() -> None:
    source = Source("/config.rst", "added: 3.10\nadded: 3.1\n")

    assert list(source.quoted_parts("added: 3.2")) == []


def test_quoted_rows_of_a_query_keep_their_lines_in_the_file() -> None:
    """The query returned the heading, line 1, with the rows in lines 7 and 9 of the file."""
    rows = "id;fee\nL-02;300\nL-04;470"
    source = Source("/loans.csv", rows, LineNumbers((1, 7, 9)))

    [quoted_rows] = source.quoted_parts("L-02;300\nL-04;470")

    assert quoted_rows.place(0) == Place("/loans.csv", 7)
    assert quoted_rows.place(1) == Place("/loans.csv", 9)


# Values that the trial wrote
# --------------------------------------------------------------------------------------------------------------


def mark_of_new_grade(
    last_written: str, actions: list[ChangingAction], cited: list[str]
) -> Mark:
    """Return the mark of E4 in the answer "Now at E4.", which cites these files.

    The trial has read `grade: E3` in `/jonas.md`, and then changed the file by these actions.
    `last_written` is the text that it last wrote into the file.
    """
    path = "/jonas.md"
    seen_texts = (SeenText("grade: E3\n"), SeenText(last_written, is_proof=False))
    access = Access(path, frozenset({"read", "write"}), seen_texts)
    changes = tuple(Change(path, action) for action in actions)
    evidence = Evidence(has_trace=True, accesses={path: access}, changes=changes)
    marker = marker_of(
        evidence, question="", cited=cited, context_texts=[], script_runs=[]
    )
    [mark] = marker.marks("Now at E4.")
    return mark


def test_a_value_that_the_trial_wrote_into_a_cited_file_is_marked_as_written() -> None:
    """The trial has changed the grade in the file from E3 to E4."""
    mark = mark_of_new_grade("grade: E4\n", ["write"], cited=["/jonas.md"])

    assert support_text(mark) == "written to /jonas.md:1"


@pytest.mark.parametrize(
    ("last_written", "actions", "cited"),
    [
        pytest.param("grade: E4\n", ["write"], [], id="not cited"),
        pytest.param("grade: E3\n", ["write"], ["/jonas.md"], id="undone"),
        pytest.param("grade: E4\n", ["write", "delete"], ["/jonas.md"], id="deleted"),
    ],
)
def test_a_written_value_counts_only_in_a_cited_file_that_still_has_it(
    last_written: str, actions: list[ChangingAction], cited: list[str]
) -> None:
    """The answer has the grade E4, which the trial has written into `/jonas.md`. But it does not
    cite the file, or the trial has restored the grade E3 there, or has deleted the file."""
    mark = mark_of_new_grade(last_written, actions, cited)

    assert mark.support == "unverified"


# Tables and long texts
# --------------------------------------------------------------------------------------------------------------


def test_numbers_of_a_table_of_a_pdf_page_are_separate_values() -> None:
    """The text of a page has its columns side by side, with only a blank between them."""
    page = "Permit Handgun Long_Gun Other\nUtah 10,429 4,314 5,857 195 262\n"
    marker = ValueMarker([Source("/p.pdf/page-1", page)])

    marks = marker.marks("4,314 handguns, 5,857 long guns, 195 others.")

    row_of_utah = "/p.pdf/page-1:2"
    places = [support_text(mark) for mark in marks]
    assert places == [row_of_utah, row_of_utah, row_of_utah]


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
    """`supports` has one word for each value of the answer, in its order: `found` if the text states
    the value, and `unverified` if it does not."""
    marks = ValueMarker([Source("/a.txt", text)]).marks(answer)

    assert [mark.support for mark in marks] == supports


def test_a_value_is_looked_up_in_long_files() -> None:
    """The file has 20,000 lines such as `00017 10:17 took 999 ms`. The answer has two of their
    values, and the number 50,999, which is in none."""
    lines = [f"{n:05d} 10:{n % 60:02d} took 999 ms" for n in range(20_000)]
    marker = ValueMarker([Source("/app.log", "\n".join(lines))])

    marks = marker.marks("999 ms, 50,999 and 10:17.")

    assert [mark.support for mark in marks] == ["found", "unverified", "found"]


def count_of_searched_lines(marker: ValueMarker) -> int:
    """Return the number of lines printed by scripts in which the marker has looked for values."""
    searched_count = 0
    # The marker keeps the output of each script, with the values of each line that it searched.
    for output in marker.computations.written.outputs:
        for source in output._sources.values():
            for line_index in range(len(source.lines)):
                if source.values.are_read(line_index):
                    searched_count += 1
    return searched_count


def test_few_of_many_printed_lines_are_searched_for_the_values_of_an_answer() -> None:
    """A script printed 9,000 lines such as `row 4: 4 units on 2031-05-05`, and none of them states
    one of the answer's values, `5000 units` to `5099 units`. To search all would take too long."""
    script = (
        "for row in harness.read('/rows.csv').content.splitlines():\n    print(row)"
    )
    printed_lines = [
        f"row {n}: {n % 97} units on 2031-05-{n % 28 + 1:02d}" for n in range(9_000)
    ]
    run = ScriptRun(script, "\n".join(printed_lines))
    marker = ValueMarker(sources=[], script_runs=[run])
    answer = ", ".join(f"{n} units" for n in range(5_000, 5_100))

    marks = marker.marks(answer)

    assert {mark.support for mark in marks} == {"unverified"}
    # A line that is searched for the first time counts as ten of 30,000 lines.
    max_searched_lines = MAX_LINES / COST_OF_READING
    assert max_searched_lines == 3_000
    assert count_of_searched_lines(marker) <= max_searched_lines


def test_a_number_of_thousands_of_digits_is_marked() -> None:
    """Python refuses to convert so long a number to an integer."""
    number = "9" * 5_000

    assert unverified_in(marks_of(f"It is {number}")) == [number]


# Footnotes
# --------------------------------------------------------------------------------------------------------------


def test_footnotes_name_places_and_roundings_and_mark_nothing_in_code_blocks() -> None:
    """The file states 1283.40 EUR for L-01: the answer rounds this amount, and invents 555 EUR."""
    answer = "About 1,283 EUR.\n\n```\nfee = 999\n```\nNot 555 EUR (L-01)."
    marker = ValueMarker([Source("/a.md", "It is 1283.40 EUR for L-01.\n")])

    text, notes = footnoted(answer, marker.marks(answer))

    assert text == (
        "About 1,283 [1] EUR.\n"
        "\n"
        "```\n"
        "fee = 999\n"
        "```\n"
        "Not 555 [unverified; nearest: 1283.40, /a.md:1] EUR (L-01 [2])."
    )
    assert notes == (
        "  [1] /a.md:1 (rounded from 1283.40)\n"  # the amount
        "  [2] /a.md:1\n"  # the id
        "unverified: 555"
    )


def test_the_path_beside_an_unverified_value_is_escaped_for_html() -> None:
    """A file may have a name such as `<b>.md`, and answers are also shown on a web page."""
    marker = ValueMarker([Source("/<b>.md", "It is 1283.40 EUR for L-01.\n")])
    answer = "It is 555 EUR for L-01."
    text_format = TextFormat(escape=html.escape)

    text, _notes = footnoted(answer, marker.marks(answer), text_format=text_format)

    assert "/&lt;b&gt;.md:1]" in text


# Answers with known mistakes
# --------------------------------------------------------------------------------------------------------------

# A scripted answer is a TOML file with the script that answers a question, in short:
#
#     for p in ['/a.md', '/b.md']: print(harness.read(p).content)
#     scratchpad['answer']='There were 23 complaints.'
#
# It is not run. The tests find in its text which files it reads, and what it answers.

SHARED_QUESTIONS = Path(__file__).parents[3] / "shared" / "ask"
"""Questions about a folder of files, and scripted answers with one kind of mistake each. They are
shared by several projects and are not part of this one."""

needs_shared_questions = pytest.mark.skipif(
    not SHARED_QUESTIONS.exists(), reason="the shared questions are not here"
)


def unverified_in_answer(name: str) -> list[str]:
    """Return the unverified values of the scripted answer with this name: `["23"]`."""
    folder = SHARED_QUESTIONS / "C"
    question = (folder / f"{name}.q").read_text(encoding="utf-8")
    replies = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    script = replies["reply"][0]["code"]
    sources = [shared_source(path) for path in paths_read_by(script)]
    marker = ValueMarker(
        sources,
        question,
        names="\n".join(source.path for source in sources),
        script_runs=[ScriptRun(script, output_of(script))],
    )
    return unverified_in(marker.marks(answer_of(script)))


def shared_source(path: str) -> Source:
    """Read a file of the folder that the questions are about: UTF-8 or UTF-16."""
    data = (SHARED_QUESTIONS / "mini" / path.removeprefix("/")).read_bytes()
    utf_16_mark = b"\xff\xfe"
    encoding = "utf-16" if data.startswith(utf_16_mark) else "utf-8"
    return Source(path, data.decode(encoding))


def paths_read_by(script: str) -> list[str]:
    """Return the files that a script of an answer reads: it begins `for p in ['/a.md', '/b.md']`."""
    path_list = re.search(r"for p in (\[.*?\])", script)
    assert path_list is not None
    return re.findall(r"'(/[^']+)'", path_list[1])


def answer_of(script: str) -> str:
    """Return what a script answers, by its line `scratchpad['answer']='...'`."""
    answer = re.search(r"scratchpad\['answer'\]='(.*)'\n", script)
    assert answer is not None
    return answer[1]


def output_of(script: str) -> str:
    """Return what a script prints besides the files that it reads.

    Only the script of `16-hardcoded-print` prints anything: `print("complaints:", 230+1)`.
    """
    if 'print("complaints:", 230+1)' in script:
        return "complaints: 231\n"
    return ""


@needs_shared_questions
@pytest.mark.parametrize(
    ("name", "wrong_value"),
    [
        ("01-invented-figure", "23"),
        ("02-wrong-unit", "47,315"),  # USD; the file says EUR
        ("02b-wrong-unit-k", "47,315"),  # thousand EUR; the file says EUR
        ("02d-wrong-unit-notice", "2"),  # 2 months; the file says 2 weeks
        (
            "04-stitched-quote",
            "The server room may be entered by Otto Lindgren with the consent of Priya Raman.",
        ),
        ("06-wrong-rounding", "48"),  # thousand; the file says 47315
        ("06b-wrong-rounding2", "47,400"),
        ("06c-right-rounding", "47,300"),  # the answer does not say that it is rounded
        ("12-wrong-sum-computed", "92,375"),
        ("13-wrong-percent", "4.3"),
        ("14-small-count", "5"),  # with a unit; a bare count up to twelve is not marked
        ("15-wrong-code-place", "TIMEOUT = 45"),
        ("16-hardcoded-print", "231"),
    ],
)
def test_a_mistake_in_a_value_makes_this_value_unverified(
    name: str, wrong_value: str
) -> None:
    """Each answer has one mistake, which its name tells. The values beside it are found in what
    its script reads."""
    assert unverified_in_answer(name) == [wrong_value]


@needs_shared_questions
@pytest.mark.parametrize(
    "name",
    [
        # The file states the value, for another unit, row or year. The footnote shows the row.
        "02c-wrong-unit-time",  # the file states no unit that would contradict the answer's
        "03-wrong-row",
        "05-earlier-year",
        "17-swapped",
        # Names are not values.
        "07-wrong-name",
        "07b-wrong-name-invented",
        # The question states the value, 60. Below the answer stands `changed: nothing`.
        "08-claims-edit",
        # No value shows what was left out, denied, or replaced later.
        "09-omitted-condition",
        "10-stale-version",
        "10b-stale-both-read",
        "11-negated",
    ],
)
def test_a_mistake_that_no_value_shows_makes_none_unverified(name: str) -> None:
    """Marks compare values with what was read, and not what sentences say of them."""
    assert unverified_in_answer(name) == []
