"""Data classes of scripts: the library's own, and no way to have other text run as source."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("way", ["typing.{0}", "t.{0}", "{0}"])
def test_marks_written_as_text_are_found_however_they_were_imported(way, box):
    code = f"""
from __future__ import annotations
import dataclasses, typing, typing as t
from typing import ClassVar
@dataclasses.dataclass
class A:
    shared: {way.format("ClassVar[int]")} = 1
    x: int = 2
print(A(), [each.name for each in dataclasses.fields(A)], A.__annotations__["shared"])
"""
    assert box.run(code).output == f"A(x=2) ['x'] {way.format('ClassVar[int]')}\n"


def test_a_made_data_class_is_the_scripts_own(box):
    code = """
import dataclasses
A = dataclasses.make_dataclass("A", ["x", ("y", int), ("z", int, dataclasses.field(default=3))], frozen=True)
B = dataclasses.make_dataclass("B", [("_x", int)])
print(A(1, 2), A.__module__, B(1)._x, dataclasses.replace(A(1, 2), x=5))
"""
    assert box.run(code).output == "A(x=1, y=2, z=3) __main__ 1 A(x=5, y=2, z=3)\n"


NAME = "class N(str):\n    def isidentifier(self): return True\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (f"{NAME}d.make_dataclass('A', [N('x=print(1)')])", "Field names must be valid identifiers"),
        (f"{NAME}d.make_dataclass('A', [(N('x:print(1)'), int)])", "Field names must be valid identifiers"),
        ("d.make_dataclass('A', ['__dict__'])", "may not be called '__dict__'"),
        ("d.make_dataclass('A', [], bases=(d.Field,))", "takes a name, fields and flags"),
        ("class F(d.Field): pass", "class Field cannot be a base class"),
        ("@d.dataclass\nclass A(str): format: object = None", "cannot derive from str"),
        ("f = d.field()\nf.name = 'x=print(1)'", "a Field object is sealed"),
    ],
)
def test_no_name_of_a_field_becomes_source_text(code, said, box):
    result = box.run(f"import dataclasses as d\n{code}")
    assert (result.output, said in result.error) == ("", True), result.error


def test_a_pattern_reads_no_private_field_by_position(box):
    code = """
import dataclasses
@dataclasses.dataclass
class A:
    _x: int
print(A.__match_args__, A(1)._x)
"""
    assert box.run(code).output == "() 1\n"
