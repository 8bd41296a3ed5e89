"""Whatever a parser raises for a document of others becomes one error with one line.

`parse_yaml("!!int ''")` raises "it has a value that cannot be read", where the parser has an
`IndexError`. Aliases of YAML may let a few lines stand for gigabytes: such a document is refused
before anything is made of it.
"""

import ast
from collections.abc import Callable

import pytest

from controlplane.sandbox.interface.foreign_documents import (
    Unreadable,
    parse_toml,
    parse_yaml,
    read_json,
)
from tests.support.product_files import ROOT


def multiplied(first: str, line: str) -> str:
    """Return YAML of ten lines, each of which has the one before nine times."""
    text = first
    for before, name in zip("abcdefghi", "bcdefghij", strict=True):
        text += line.format(name=name, parts=",".join([f"*{before}"] * 9))
    return text


@pytest.mark.parametrize(
    ("parse", "text", "fault"),
    [
        (parse_toml, "a = " + "[" * 3_000 + "]" * 3_000, "nested too deeply"),
        (parse_toml, f"a = 1{'0' * 400}", "more than 300 digits"),
        (parse_toml, f"a = {'9' * 5_000}", "4300 digits"),
        (parse_toml, "a" + ".b" * 200 + " = 1", "at most 100 parts"),
        (parse_toml, "a = 2001-02-30", "Invalid date"),
        (read_json, "[" * 100_000, "nested too deeply"),
        (read_json, b"\xff", "decode"),
        (parse_yaml, "!!int ''", "a value that cannot be read"),
        (parse_yaml, "!!bool x", "a value that cannot be read"),
        (parse_yaml, "!!timestamp x", "a value that cannot be read"),
        (parse_yaml, "a: 2001-99-99", "month must be in"),
        (parse_yaml, "[" * 3_000, "maximum nesting depth"),
        (parse_yaml, f"a: 1{':1' * 1_000}", "more than 300 digits"),
        (parse_yaml, "a: &a [*a]", "with its aliases"),
        (parse_yaml, multiplied("a: &a [x]\n", "{name}: &{name} [{parts}]\n"), "with"),
        (
            parse_yaml,
            multiplied("a: &a {k: v}\n", "{name}: &{name} {{<<: [{parts}]}}\n"),
            "with its aliases",
        ),
    ],
    ids=range(16),
)
def test_a_document_that_cannot_be_read_is_one_error(
    parse: Callable[[str | bytes], object], text: str | bytes, fault: str
) -> None:
    with pytest.raises(Unreadable, match=fault) as error:
        parse(text)

    assert "\n" not in str(error.value)


def test_a_few_aliases_are_read() -> None:
    assert parse_yaml("a: &a [1, 2]\nb: *a\nc: *a") == {
        "a": [1, 2],
        "b": [1, 2],
        "c": [1, 2],
    }


@pytest.mark.parametrize("parse", [parse_toml, parse_yaml])
def test_a_nul_is_refused_where_texts_become_arguments(
    parse: Callable[..., object],
) -> None:
    text = 'a = "b\\u0000"' if parse is parse_toml else 'a: "b\\0"'

    assert parse(text) == {"a": "b\0"}
    with pytest.raises(Unreadable, match="NUL character"):
        parse(text, refuses_nul=True)


OWN_BORDERS = {
    "agent/endpoint/errors.py",  # a file of the product
    "agent/evidence/texts/data.py",  # by `foreign_parser`
    "sandbox/interface/foreign_documents.py",
}


def test_toml_and_yaml_are_parsed_at_the_border_alone() -> None:
    callers = set()
    for folder in ("agent", "benchmarks", "controlplane", "gates", "sandbox"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text()
            if "tomllib" not in text and "yaml" not in text:
                continue
            for node in ast.walk(ast.parse(text)):
                is_call = isinstance(node, ast.Call)
                if is_call and isinstance(node.func, ast.Attribute):
                    owner = ast.unparse(node.func.value)
                    if owner in ("tomllib", "yaml"):
                        callers.add(str(path.relative_to(ROOT)))

    assert callers <= OWN_BORDERS
