"""What a script sees of the functions that an environment offers."""

from datetime import UTC, datetime

import pytest

from agent.evidence import Recorder
from agent.loop.initial_prompt import system_prompt
from sandbox import Ending, ForkServer, Refusal, Sandbox
from tests.support.library import SURFACE, Library


class Host:
    def __init__(self) -> None:
        self.recorder = Recorder("t", Library(), lambda event: None)
        self.recorder.begin_step(1)

    def call(self, operation, arguments, *, in_verify):
        return self.recorder.call(operation, arguments, in_verify=in_verify)

    def cite(self, path, reason, quote=""):
        try:
            return self.recorder.cite(path, reason, quote)
        except ValueError as error:
            raise Refusal(str(error)) from None

    def answer(self, scratchpad, verify):
        raise Refusal("nothing is answered here")


@pytest.fixture(scope="module")
def server():
    with ForkServer() as running:
        yield running


def run(server, code):
    with Sandbox(SURFACE, Host(), now=datetime(2026, 1, 2, tzinfo=UTC), seed=1, server=server) as box:
        return box.run(code)


def test_a_finding_is_cited_with_its_reasons(server):
    result = run(
        server,
        "found = harness.tools.books_by('Austen')\n"
        "print(found.value, found.notes, scratchpad.cite_all(found))\n"
        "print(sorted(scratchpad['refs_why'].items()))",
    )
    assert (result.ending, result.error) == (Ending.FINISHED, "")
    assert "['/books/emma.txt', '/books/persuasion.txt'] ['by the title page']" in result.output
    assert "('/books/emma.txt', 'it says by Austen')" in result.output


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("harness.tools.books_of('x')", "harness.tools has no 'books_of'; did you mean harness.tools.books_by?"),
        ("harness.books_by('x')", "did you mean harness.tools.books_by?"),
        ("harness.tools.books_by('nobody')", "failed_precondition: nobody is no author"),
        ("harness.tools.books_by(7)", "a string"),
        ("scratchpad.cite_all('/books/emma.txt')", "takes what a function of harness.tools returned"),
    ],
)
def test_a_wrong_use_says_what_is_right(server, code, said):
    assert said in run(server, code).error


def test_the_prompt_names_them_like_every_operation():
    text = system_prompt(SURFACE)
    assert "- `harness.tools.books_by(author)`: finds the books of an author" in text
    assert "scratchpad.cite_all(finding)" in text
