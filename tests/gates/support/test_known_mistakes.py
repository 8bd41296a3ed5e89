"""Answers with one known mistake each: the marks of values show some mistakes, and miss others.

A scripted answer is a TOML file with the script that answers a question about a folder, in short:

    for p in ['/a.md', '/b.md']: print(harness.read(p).content)
    scratchpad['answer']='There were 23 complaints.'

It is not run. The tests find in its text which files it reads, and what it answers.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import unverified_in
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun

SHARED_QUESTIONS = Path(__file__).parents[4] / "shared" / "ask"
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
    """Return the files that a script of an answer reads: it begins `for p in ['/a.md',
    '/b.md']`."""
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


class TestMistakesInValues:
    """Each answer has one mistake in a value, which its name tells.

    The values beside it are found in what its script reads. So exactly the wrong one is
    unverified, and the user sees it.
    """

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
            (
                "06c-right-rounding",
                "47,300",
            ),  # the answer does not say that it is rounded
            ("12-wrong-sum-computed", "92,375"),
            ("13-wrong-percent", "4.3"),
            (
                "14-small-count",
                "5",
            ),  # with a unit; a bare count up to twelve is not marked
            ("15-wrong-code-place", "TIMEOUT = 45"),
            ("16-hardcoded-print", "231"),
        ],
    )
    def test_a_mistake_in_a_value_makes_this_value_unverified(
        self, name: str, wrong_value: str
    ) -> None:
        """Each answer has one mistake, which its name tells. The values beside it are found in what
        its script reads."""
        assert unverified_in_answer(name) == [wrong_value]


class TestMistakesOutsideOfValues:
    """Marks compare values with texts, and not what sentences say of them.

    Each answer has a mistake that its name tells. Every value of it stands in a file that was
    read, or in the question. So none is unverified, and the mistake is not seen.
    """

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
    def test_a_mistake_that_no_value_shows_makes_none_unverified(
        self, name: str
    ) -> None:
        """Marks compare values with what was read, and not what sentences say of them."""
        assert unverified_in_answer(name) == []
