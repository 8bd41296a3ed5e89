"""Values of an answer are found in tables, lists and settings, and in long texts.

A cell such as `4,314` is a value of its own, although only a blank parts it from the next cell. Of
long texts, as many lines are searched as can be searched quickly.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.matching.line_budget import COST_OF_READING, MAX_LINES
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import support_text, unverified_in
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun


class TestValuesInTables:
    """Rows, lists and settings state values, each cell one of its own.

    The trial has read one text, and `ValueMarker` says of each value of an answer whether the
    text states it ("found") or not ("unverified").
    """

    def test_numbers_of_a_table_of_a_pdf_page_are_separate_values(self) -> None:
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
            (
                "memory: 512Mi\nlimit: 2Gi",
                "It has 512 MiB of 2 GiB.",
                ["found", "found"],
            ),
            ("[1,2,15,68]", "It is 15 and 68.", ["found", "found"]),
            ('a,b\n"1,250.00",3', "It is 1250 EUR.", ["found"]),
        ],
    )
    def test_a_value_is_found_in_rows_lists_and_settings(
        self, text: str, answer: str, supports: list[str]
    ) -> None:
        """`supports` has one word for each value of the answer, in its order: `found` if the text
        states the value, and `unverified` if it does not."""
        marks = ValueMarker([Source("/a.txt", text)]).marks(answer)

        assert [mark.support for mark in marks] == supports


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


class TestLongTexts:
    """The values of an answer are looked up in long texts without reading all of them.

    A log may have 20,000 lines, and an answer a number of 5,000 digits. To look for each value
    in each line would take too long.
    """

    def test_a_value_is_looked_up_in_long_files(self) -> None:
        """The file has 20,000 lines such as `00017 10:17 took 999 ms`. The answer has two of their
        values, and the number 50,999, which is in none."""
        lines = [f"{n:05d} 10:{n % 60:02d} took 999 ms" for n in range(20_000)]
        marker = ValueMarker([Source("/app.log", "\n".join(lines))])

        marks = marker.marks("999 ms, 50,999 and 10:17.")

        assert [mark.support for mark in marks] == ["found", "unverified", "found"]

    def test_few_of_many_printed_lines_are_searched_for_the_values_of_an_answer(
        self,
    ) -> None:
        """A script printed 9,000 lines such as `row 4: 4 units on 2031-05-05`, and none of them
        states one of the answer's values, `5000 units` to `5099 units`. To search all would take
        too long."""
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

    def test_a_number_of_thousands_of_digits_is_marked(self) -> None:
        """Python refuses to convert so long a number to an integer."""
        number = "9" * 5_000

        marks = ValueMarker([Source("/a.txt", "7\n")]).marks(f"It is {number}")

        assert unverified_in(marks) == [number]
