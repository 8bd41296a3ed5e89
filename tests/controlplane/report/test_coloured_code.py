"""Runs of colours cover the code exactly, in the units that a browser counts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.report.coloured_code import code_marks


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@settings(max_examples=40)
@given(
    st.text(max_size=200) | st.sampled_from(["def f(x):\n    return 'é𝄞' # ok\n", "'''open", "\t\n  ", "x = 1 if y"])
)
def test_runs_add_up_to_the_code(code: str) -> None:
    marks = code_marks(code)
    assert re.fullmatch(r"(\d+[kbfsncp])*", marks)
    assert sum(map(int, re.findall(r"\d+", marks))) == units(code)


@pytest.mark.parametrize(
    ("code", "marks"),
    [("if x", "3k1p"), ("print(1)", "5b1p1n1p"), ("'𝄞' # é", "5s3c"), ("def f", "4k1f"), ("", "")],
)
def test_each_kind_of_token_has_its_letter(code: str, marks: str) -> None:
    assert code_marks(code) == marks
