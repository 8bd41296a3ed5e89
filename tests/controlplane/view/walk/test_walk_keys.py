"""The line of keys below a page."""

import pytest

from controlplane.view.walk.walk_keys import key_line


@pytest.mark.parametrize("width", [30, 60, 80, 120])
@pytest.mark.parametrize("says", ["", "no further rejection in this trial", "there is no step 9999 in this trial"])
def test_what_is_said_pushes_out_keys_but_never_the_ways_to_help_and_out(says: str, width: int) -> None:
    line = key_line(says, width, is_folded=True)
    assert line.cell_len < width
    assert line.plain.endswith("? keys  q quit")
    assert ("scroll" in line.plain) == (width == 120)
    if width > 60:
        assert line.plain.startswith(says)
