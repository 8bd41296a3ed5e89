"""What supports each value of an answer, and what the footnotes below the answer say of it.

For "The fee of L-02 is 470 EUR.", the fee and the id are both found in line 3 of `/loans.csv`. A
value that no text states and no script computed is `unverified`. Values that scripts compute are
tested in `test_computed_values.py`.
"""

from __future__ import annotations

import html

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.support.footnotes import TextFormat, footnoted
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.sources.places import LineNumbers, Place
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import support_text, unverified_in
from controlplane.gates.support.trial_marker import marker_of
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.accesses import Access
from controlplane.gates.trial.changes import Change, ChangingAction
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind
from tests.gates.support.marked_answers import marks_of


class TestStatedValues:
    """A value of an answer is found in the line of a file that states it.

    The trial has read three files of a small library. `marks_of(answer)` returns a mark for each
    value of the answer, which says what supports the value:

        /loans.csv  loan,until,fee_eur / L-01,2026-03-01,300 / L-02,2026-05-09,470 / L-03,...
        /rules.md   A loan runs 21 days. ... Open from 09:30 to 20:00. (line 4)
        /old.md     The fee was 470 EUR in 2019.
    """

    @pytest.mark.parametrize(
        ("answer", "places"),
        [
            pytest.param(
                "L-02 ends on 9 May 2026.",
                ["/loans.csv:3", "/loans.csv:3"],  # L-02 and 2026-05-09
                id="a date in another form",
            ),
            pytest.param(
                "The fee of L-02 is 470 EUR.",
                ["/loans.csv:3", "/loans.csv:3"],  # L-02 and 470
                id="the amount of a loan",
            ),
            pytest.param(
                "The fee was 470 EUR in 2019.",
                ["/old.md:1", "/old.md:1"],  # 470 and 2019
                id="the same amount in a year",
            ),
            pytest.param("It is open until 20:00.", ["/rules.md:4"], id="a time"),
            pytest.param(
                "There are 3 loans.", [], id="a count up to twelve, without support"
            ),
            pytest.param(
                "\u201cA loan runs 21 days\u201d", ["/rules.md:3"], id="a quotation"
            ),
        ],
    )
    def test_a_value_is_found_in_the_line_that_states_it(
        self, answer: str, places: list[str]
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
            pytest.param("It costs 470 USD.", ["470"], id="another currency"),
            pytest.param("It costs 471 EUR.", ["471"], id="another amount"),
            pytest.param("It costs 20.00 EUR.", ["20.00"], id="20:00 is a time"),
            pytest.param(
                "1. See L-09.", ["L-09"], id="an id, and not the item's number"
            ),
            pytest.param(
                "\u201cA loan runs 22 days\u201d",
                ["A loan runs 22 days"],
                id="a quotation with another number",
            ),
            pytest.param(
                "300 EUR and 470 EUR are 770 EUR.",
                ["770"],
                id="a sum that no script computed",
            ),
        ],
    )
    def test_a_value_that_no_file_states_is_unverified(
        self, answer: str, unverified: list[str]
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


class TestValuesInOtherForms:
    """An answer may round or convert what a file states; the footnote says so.

    `support_text` is the text of the footnote, such as `/a.md:1 (rounded from 6.545)`.
    """

    def test_a_rounded_value_says_what_it_is_rounded_from(self) -> None:
        mark = only_mark("It weighs 6.5 kg.", text="weight: 6.545 kg of 12.5 kg")

        assert support_text(mark) == "/a.md:1 (rounded from 6.545)"

    def test_a_converted_value_says_what_the_file_states(self) -> None:
        mark = only_mark("It is rated 3.45 MW.", text="rated 3450 kW")

        assert support_text(mark) == "/a.md:1 (3450 kW)"

    def test_an_unverified_value_names_the_nearest_one_and_its_place(self) -> None:
        """The user may see that the answer should have said 9:00."""
        mark = only_mark("The shop closes at 17:00.", text="x\nThe shop opens at 9:00.")

        assert support_text(mark) == "unverified; nearest: 9:00, /a.md:2"


class TestValuesOutsideOfTexts:
    """A file's name and the user's question state values, too.

    The trial may have seen a file only in a listing; its name then supports a value. A value of
    the question is `given`, unless the answer cites a file that states it.
    """

    def test_the_name_of_a_file_supports_its_month_but_no_day_and_no_amount(
        self,
    ) -> None:
        """The trial has seen the file `/reports/2026-03.csv` in a listing, and has read nothing."""
        marker = ValueMarker(sources=[], names="/reports/2026-03.csv")

        marks = marker.marks("In March 2026 it was 12 March 2026, at 20.26 EUR.")

        assert unverified_in(marks) == ["12 March 2026", "20.26"]

    @pytest.mark.parametrize(
        ("cited_path", "support"), [("/rules.md", "given"), ("/old.md", "found")]
    )
    def test_a_value_of_the_question_is_found_only_in_a_cited_file(
        self, cited_path: str, support: str
    ) -> None:
        """The question states the 470 EUR, and so does the file `/old.md`, which the trial has
        read.

        The value is marked as found in the file if the answer cites the file, and otherwise as
        given by the question."""
        [mark] = marks_of(
            "The fee was 470 EUR.", question="Was the fee 470 EUR?", cited=(cited_path,)
        )

        assert mark.support == support


class TestValuesInQuotations:
    """A citation quotes lines of a file: there a value is looked for first.

    `Source` is a text that was read, with its path and the numbers of its lines.
    """

    def test_a_value_is_found_first_where_a_citation_quotes_it(self) -> None:
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
        marker = ValueMarker(
            [source], cited=frozenset({source.path}), quoted=quoted_parts
        )

        version_mark, size_mark = marker.marks("Since 3.1; 4 MB.")

        assert version_mark.place == Place("/config.rst", line=4)
        assert size_mark.place == Place("/config.rst", line=5)

    def test_a_quotation_of_one_line_is_found_at_its_first_place(self) -> None:
        """The line with the index 1 is the first one that is `added: 3.1`. The line before it,
        `added: 3.10`, only begins like the quotation."""
        source = Source("/config.rst", "added: 3.10\nadded: 3.1\n...\nadded: 3.1\n")

        line_index = source.line_of_quotation("added: 3.1")

        assert line_index == 1

    def test_a_quotation_that_is_not_in_the_text_has_no_place(self) -> None:
        source = Source("/config.rst", "added: 3.10\nadded: 3.1\n")

        assert list(source.quoted_parts("added: 3.2")) == []

    def test_quoted_rows_of_a_query_keep_their_lines_in_the_file(self) -> None:
        """The query returned the heading, line 1, with the rows in lines 7 and 9 of the file."""
        rows = "id;fee\nL-02;300\nL-04;470"
        source = Source("/loans.csv", rows, LineNumbers((1, 7, 9)))

        [quoted_rows] = source.quoted_parts("L-02;300\nL-04;470")

        assert quoted_rows.place(0) == Place("/loans.csv", 7)
        assert quoted_rows.place(1) == Place("/loans.csv", 9)


def mark_of_new_grade(
    *, last_written: str, actions: list[ChangingAction], cited: list[str]
) -> Mark:
    """Return how E4 is marked in the answer "Now at E4.", which cites the files `cited`.

    The trial has read "grade: E3" in `/jonas.md`. Then it has changed the file by `actions`, such as
    `["write", "delete"]`. `last_written` is the text that it last wrote there: "grade: E4".
    """
    path = "/jonas.md"
    seen_texts = (SeenText("grade: E3\n"), SeenText(last_written, TextKind.OWN))
    access = Access(path, frozenset({"read", "write"}), seen_texts)
    changes = tuple(Change(path, action) for action in actions)
    evidence = Evidence(has_trace=True, accesses={path: access}, changes=changes)
    marker = marker_of(
        evidence, question="", cited=cited, context_texts=[], script_runs=[]
    )
    [mark] = marker.marks("Now at E4.")
    return mark


class TestWrittenValues:
    """A value that the trial itself wrote into a file is marked as `written`.

    The trial has read `grade: E3` in `/jonas.md`, changed it to E4, and answers "Now at E4.". No
    file that it read states E4; the user sees in the footnote that the trial wrote it.
    """

    def test_a_value_that_the_trial_wrote_into_a_cited_file_is_marked_as_written(
        self,
    ) -> None:
        """The trial has changed the grade in the file from E3 to E4."""
        mark = mark_of_new_grade(
            last_written="grade: E4\n", actions=["write"], cited=["/jonas.md"]
        )

        assert support_text(mark) == "written to /jonas.md:1"

    @pytest.mark.parametrize(
        ("last_written", "actions", "cited"),
        [
            pytest.param("grade: E4\n", ["write"], [], id="not cited"),
            pytest.param("grade: E3\n", ["write"], ["/jonas.md"], id="undone"),
            pytest.param(
                "grade: E4\n", ["write", "delete"], ["/jonas.md"], id="deleted"
            ),
        ],
    )
    def test_a_written_value_counts_only_in_a_cited_file_that_still_has_it(
        self, last_written: str, actions: list[ChangingAction], cited: list[str]
    ) -> None:
        """The answer has the grade E4, which the trial has written into `/jonas.md`. But it does
        not cite the file, or the trial has restored the grade E3 there, or has deleted the file."""
        mark = mark_of_new_grade(
            last_written=last_written, actions=actions, cited=cited
        )

        assert mark.support == "unverified"


class TestFootnotes:
    """Below an answer, footnotes say where its values were found.

    `footnoted(answer, marks)` returns the answer with a number behind each value, as in "It is
    300 EUR [1].", and the notes, as in "[1] /a.md:1".
    """

    @pytest.mark.parametrize(
        ("answer", "footnoted_text", "footnotes"),
        [
            pytest.param(
                "It is for L-01.",
                "It is for L-01 [1].",
                "  [1] /a.md:1",
                id="an id as in the file",
            ),
            pytest.param(
                "About 1,283 EUR.",
                "About 1,283 [1] EUR.",
                "  [1] /a.md:1 (rounded from 1283.40)",
                id="a rounded amount",
            ),
            pytest.param(
                "It is 555 EUR.",
                "It is 555 [unverified; nearest: 1283.40, /a.md:1] EUR.",
                "unverified: 555",
                id="an invented amount",
            ),
            pytest.param(
                "It is for L-01:\n\n```\nfee = 999\n```",
                "It is for L-01 [1]:\n\n```\nfee = 999\n```",
                "  [1] /a.md:1",
                id="a code block, in which nothing is marked",
            ),
        ],
    )
    def test_a_value_gets_a_footnote_that_says_where_it_was_found(
        self, answer: str, footnoted_text: str, footnotes: str
    ) -> None:
        """The only line of the file states 1283.40 EUR for L-01."""
        marker = ValueMarker([Source("/a.md", "It is 1283.40 EUR for L-01.\n")])

        text, notes = footnoted(answer, marker.marks(answer))

        assert text == footnoted_text
        assert notes == footnotes

    def test_footnotes_are_numbered_and_unverified_values_come_last(self) -> None:
        """The answer has an amount, a code block, an invented amount and an id, in this order."""
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

    def test_the_path_beside_an_unverified_value_is_escaped_for_html(self) -> None:
        """A file may have a name such as `<b>.md`, and answers are also shown on a web page."""
        marker = ValueMarker([Source("/<b>.md", "It is 1283.40 EUR for L-01.\n")])
        answer = "It is 555 EUR for L-01."
        text_format = TextFormat(escape=html.escape)

        text, _notes = footnoted(answer, marker.marks(answer), text_format=text_format)

        assert "/&lt;b&gt;.md:1]" in text
