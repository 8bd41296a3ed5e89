"""A value from a neighbouring row is unverified, if the answer names a row of the same table.

A mark says under which name of the answer a found value stands: `results.csv:2, under Mei Tan`.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.marks import Mark, support_text
from controlplane.gates.support.sources import Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun

RESULTS = Source(
    "/results.csv",
    "name,club,status,time\n"
    "Mei Tan,Dene Runners,done,1:25:21\n"
    "Sara Lindqvist,Vale Harriers,done,1:29:46\n"
    "Aled Rhys,Dene Runners,open,1:37:41\n",
)
REVIEWS = Source(
    "/reviews.md",
    "# 评价\n\n| 客人 | 评分 | 内容 |\n|---|---|---|\n"
    "| 王玮 | 4.8 | 院子很安静，早餐的豆浆好喝。 |\n| 王伟 | 3.6 | 山景不错，但热水要等十分钟。 |\n",
)
POSTS = Source(
    "/posts.json",
    '[\n {"name": "Ada Obi", "from": "08:15"},\n {"name": "Ben Carr", "from": "08:45"}\n]\n',
)


def only_mark(answer: str, source: Source, *scripts: ScriptRun) -> Mark:
    """Return the mark of the only value of an answer."""
    [mark] = ValueMarker([source], script_runs=scripts).marks(answer)
    return mark


@pytest.mark.parametrize(
    ("answer", "source", "support"),
    [
        ("Mei Tan ran 1:25:21.", RESULTS, "/results.csv:2, under Mei Tan"),
        ("王伟打了3.6分。", REVIEWS, "/reviews.md:6, under 王伟"),
        ("Ben Carr came at 08:45.", POSTS, "/posts.json:3, under Ben Carr"),
        ("They came at 08:45.", POSTS, "/posts.json:3"),
    ],
)
def test_a_found_value_has_the_name_that_the_answer_writes(
    answer: str, source: Source, support: str
) -> None:
    assert support_text(only_mark(answer, source)) == support


@pytest.mark.parametrize(
    ("answer", "source", "note"),
    [
        (
            "Mei Tan ran 1:29:46.",
            RESULTS,
            "found under Sara Lindqvist, and the answer names Mei Tan",
        ),
        (
            "王伟打了4.8分，院子很安静，早餐的豆浆好喝。",
            REVIEWS,
            "found under 王玮, and the answer names 王伟",
        ),
        (
            "Ada Obi came at 08:45.",
            POSTS,
            "found under Ben Carr, and the answer names Ada Obi",
        ),
    ],
)
def test_a_value_in_the_row_of_another_name_is_unverified(
    answer: str, source: Source, note: str
) -> None:
    mark = only_mark(answer, source)

    assert mark.support == "unverified"
    assert mark.note == note


def test_a_name_that_belongs_to_another_value_says_nothing_of_this_one() -> None:
    """The second time is that of a runner whom the answer does not name."""
    marks = ValueMarker([RESULTS]).marks("Mei Tan won in 1:25:21, before 1:29:46.")

    assert [mark.support for mark in marks] == ["found", "found"]


def test_a_value_that_a_script_computed_is_not_doubted_for_a_line_that_has_it_too() -> (
    None
):
    """The points of another row are the sum by chance."""
    points = Source(
        "/points.csv", "name,points\nMei Tan,40\nMei Tan,45\nAled Rhys,85\n"
    )
    script = ScriptRun(
        "rows = harness.table('/points.csv').rows\n"
        "print(sum(row['points'] for row in rows if row['name'] == 'Mei Tan'))",
        "85\n",
    )

    mark = only_mark("Mei Tan has 85 points.", points, script)

    assert mark.support == "computed"


# A script selects rows by names, too.


@pytest.mark.parametrize(
    "code",
    [
        "print(int(by['Sara Lindqvist']['points']) * 3)",
        "print(sum(int(row['points']) * 3 for row in rows if row['name'] == 'Sara Lindqvist'))",
    ],
)
def test_a_value_computed_from_another_name_is_unverified(code: str) -> None:
    reads = (
        "rows = harness.table('/results.csv').rows\n"
        "by = {row['name']: row for row in rows}\n"
    )
    script = ScriptRun(reads + code, "261\n")

    other = only_mark("Mei Tan has 261 points.", RESULTS, script)
    own = only_mark("Sara Lindqvist has 261 points.", RESULTS, script)

    assert other.support == "unverified"
    assert other.note == "computed from Sara Lindqvist, and the answer names Mei Tan"
    assert own.support == "computed"


def test_a_filter_by_another_state_than_the_answer_names_is_unverified() -> None:
    script = ScriptRun(
        "rows = harness.table('/results.csv').rows\n"
        "print(sum(len(row['name']) for row in rows if row['status'] != 'open'))",
        "221\n",
    )

    mark = only_mark("Those who are done have 221 letters.", RESULTS, script)

    assert mark.note == "computed from open, and the answer names done"


@pytest.mark.parametrize(
    ("count", "support"),
    [("rows", "unverified"), ("times", "computed")],
)
def test_a_mean_is_divided_by_the_count_of_its_terms(count: str, support: str) -> None:
    script = ScriptRun(
        "rows = harness.table('/results.csv').rows\n"
        "times = [row['seconds'] for row in rows if row['status'] == 'done']\n"
        f"scratchpad['mean'] = sum(times) / len({count})\n"
        "print(scratchpad['mean'])",
        "3502.5\n",
    )

    mark = only_mark("It took 3502.5 s on average.", RESULTS, script)

    assert mark.support == support


def test_a_share_of_all_is_no_mean() -> None:
    script = ScriptRun(
        "rows = harness.table('/results.csv').rows\n"
        "print(sum(1 for row in rows if row['status'] == 'done') / len(rows))",
        "0.6667\n",
    )

    assert only_mark("That is 66.7 %.", RESULTS, script).support == "computed"
