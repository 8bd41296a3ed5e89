"""The line of a key is told for every way in which TOML lets it be written."""

import pytest

from benchmarks.folder.task_text import line_of

TEXT = '''\
instruction = """
tool = "not a key: a line of text"
[expected]
"""

[[tool]]
path = "/bin/a"

[[tool.call]]
args = "x"
set.status = "done"

[[tool.call]]
args = "y"

[[tool]]
path = "/bin/b"
"odd name" = 1

[[tool.call]]  # of the second tool
args = "z"

[expected]
outcome = "OUTCOME_OK"
references = [
    "/a",
]
[[expected.change]]
path = "/c"
'''


@pytest.mark.parametrize(
    ("location", "line"),
    [
        (("instruction",), 1),
        (("tool", 0), 6),
        (("tool", 0, "path"), 7),
        (("tool", 0, "call", 0, "args"), 10),
        (("tool", 0, "call", 0, "set", "status"), 11),
        (("tool", 0, "call", 1, "args"), 14),
        (("tool", 1, "path"), 17),
        (("tool", 1, "odd name"), 18),
        (("tool", 1, "call", 0, "args"), 21),
        (("tool", 1, "call", 0, "missing"), 20),
        (("expected", "outcome"), 24),
        (("expected", "references", 0), 25),
        (("expected", "change", 0, "path"), 29),
        (("expected", "answer"), 23),
        (("nothing",), 1),
    ],
)
def test_a_location_is_on_its_line_or_on_the_nearest_above_it(location: tuple[str | int, ...], line: int) -> None:
    assert line_of(TEXT, location) == line
