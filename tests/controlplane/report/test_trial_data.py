from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.report.trial_data import LONG, TextPacks, code_marks, packed


def unpacked(data: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(data)))


@given(st.lists(st.text(max_size=3).map(lambda text: text * 90), max_size=30))
def test_every_text_comes_back_under_its_number(texts: list[str]) -> None:
    packs = TextPacks()
    stored = [packs.put(each) for each in texts]
    packs.close()
    held = [text for pack in packs.packs for text in unpacked(pack)]
    assert [held[each] if isinstance(each, int) else each for each in stored] == texts
    assert len(held) == len(set(held)) == len({each for each in texts if len(each) >= LONG})


def test_what_is_packed_is_neither_markup_nor_readable() -> None:
    assert set(packed(["</script>", "\ud800", "<b>"])) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
    )


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


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
