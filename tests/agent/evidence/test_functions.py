"""A benchmark's functions: in a trial's child, by recorded calls of the trial, and answered from the record."""

from datetime import UTC, datetime

import pytest

from agent.evidence import Recorder
from agent.loop import TrialContext, TrialSession, sandbox_of
from sandbox import ALL_LAYERS, ForkServer, Limits, SandboxBroken
from sandbox.interface import CallError
from tests.support.library import Library

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def server():
    with ForkServer((), ("tests.support.library",)) as running:
        yield running


class Played:
    """A trial at the library with its sandbox."""

    def __init__(self, server, library=None):
        self.events = []
        self.library = library or Library()
        trial = TrialContext("t", "books.0", "Which books?", NOW)
        self.session = TrialSession(trial, Recorder("t", self.library, self.events.append))
        self.box = sandbox_of(self.session, server, Limits(step_wall_s=5), ALL_LAYERS)

    def run(self, code):
        with self.box, self.session.step() as fields:
            result = self.box.run(code)
            fields["code"] = code
        return result


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("harness.tools.books_of('x')", "harness.tools has no 'books_of'; did you mean harness.tools.books_by?"),
        ("harness.books_by('x')", "did you mean harness.tools.books_by?"),
        ("harness.tools.books_by('nobody')", "failed_precondition: nobody is no author"),
        ("harness.tools.books_by(7)", "a string"),
        ("harness.tools.books_by('endless')", "the function needs more than 300 calls"),
        ("harness.tools.books_by('broken')", "internal: tests.support.library:books_by broke: ZeroDivisionError"),
        ("harness.tools.books_by('writer')", "permission_denied: inside a function harness calls only read"),
        ("scratchpad.cite_all('/books/emma.txt')", "takes what a function of harness.tools returned"),
    ],
)
def test_a_wrong_use_says_what_is_right(server, code, said):
    played = Played(server)
    assert said in played.run(code).error
    assert "write" not in played.library.asked


def test_a_function_that_never_ends_costs_its_step_and_no_more(server):
    played = Played(server)
    played.box.limits = played.box.limits._replace(step_cpu_s=0.3)
    played.box._setting = played.box._setting._replace(limits=played.box.limits)
    with played.box:
        with (
            played.session.step(),
            pytest.raises(CallError, match="the step used more than"),
        ):
            played.session.call("books_by", {"author": "forever"})
        with played.session.step():
            assert played.box.run("print(harness.tools.books_by('Herbert').value)").output == "['/books/dune.txt']\n"


def test_a_module_that_cannot_be_loaded_beside_scripts_is_named_with_the_reason():
    with ForkServer((), ("tests.support.exoskeleton_trials",)) as bare, pytest.raises(SandboxBroken) as broken:
        Played(bare).run("print(1)")
    assert str(broken.value).startswith("the functions of tests.support.exoskeleton_trials cannot be loaded beside")
