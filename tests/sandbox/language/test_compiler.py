"""From text to guarded code: every fault of the text at once, with its line."""

import pytest

from sandbox.language.compiler import compile_script
from sandbox.language.language_policy import Refused


def importable(module: str, name: str | None) -> str:
    return "" if module == "math" else f"no module {module}"


def faults(source: str) -> Refused:
    with pytest.raises(Refused) as raised:
        compile_script(source, importable)
    return raised.value


def test_a_sound_script_becomes_code_of_its_own_name() -> None:
    assert compile_script("import math\nx = math.pi", importable).co_filename == "<script>"


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ("x = (", 1, "never closed"),
        ("x = 1\nreturn x", 2, "'return' outside function"),
        ("x = 1\n\n  y = 2", 3, "unexpected indent"),
        ("x = '\0'", 1, "null bytes"),
        ("(" * 500 + ")" * 500, 1, "nested"),
    ],
)
def test_what_is_no_python_is_told_by_line(source: str, line: int, says: str) -> None:
    refused = faults(source)
    assert refused.is_syntax
    assert refused.faults[0].line == line
    assert says in refused.faults[0].message


def test_all_faults_are_told_at_once() -> None:
    refused = faults("import os\nimport socket\nx.__globals__")
    assert not refused.is_syntax
    assert [each.line for each in refused.faults] == [1, 2, 3]
