"""Scripts as models write them give what plain CPython gives."""

import pytest

from sandbox import ForkServer, Sandbox
from tests.sandbox.script_world import NOW, ORDINARY, TOOL_SCHEMA, Desk, blocks
from tests.support.command import python

REFUSED = {
    "modules: abc with metaclass": "derive from a class, such as abc.ABC",
    "corners: abc details": "derive from a class, such as abc.ABC",
    "objects: mro shown": "special attribute '__subclasses__' is not available",
}
"""Scripts that the language layer refuses, with what it tells them."""


@pytest.fixture(scope="module")
def reference() -> dict[str, list[str]]:
    return python("-m", "tests.sandbox.plain_python_reference", *ORDINARY, PYTHONHASHSEED="0", TZ="UTC").json


@pytest.fixture(scope="module")
def server():
    with ForkServer() as server:
        yield server


def test_the_corpus_is_as_large_as_promised():
    assert len([title for title, _ in blocks(*ORDINARY) if not title.startswith("functions")]) >= 200
    assert len(blocks("ordinary/functions.txt")) >= 100


@pytest.mark.parametrize("name", ORDINARY)
def test_every_script_gives_what_plain_python_gives(name, server, reference):
    differing = {}
    for title, source in blocks(name):
        with Sandbox(TOOL_SCHEMA, Desk(), now=NOW, seed=1, server=server) as box:
            result = box.run(source)
        if title in REFUSED:
            assert REFUSED[title] in result.error
            continue
        last = (result.error.splitlines() or [""])[-1]
        output, error = reference[title]
        if error.startswith("SystemExit"):
            error = last if last.startswith("SystemExit") else error
        if (result.output, last) != (output, error):
            differing[title] = (result.output, result.error, output, error)
    assert differing == {}
