from __future__ import annotations

import base64
import json
import zlib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from controlplane.report.trial_data import LONG, TextPacks, packed


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


def test_packed_text_is_neither_markup_nor_readable() -> None:
    assert set(packed(["</script>", "\ud800", "<b>"])) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
    )
