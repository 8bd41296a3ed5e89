"""A script that uses a function of the benchmark in a wrong way is told the right one.

The model reads the message of the error, and should be able to correct its script. The library has one
function, `harness.tools.books_by(author)`, which returns the paths of books.
"""

import pytest

from controlplane.sandbox import ForkServer
from tests.agent.evidence.sending.library_trial import LibraryTrial


@pytest.mark.parametrize(
    ("script", "message"),
    [
        pytest.param(
            "harness.tools.books_of('x')",
            "harness.tools has no 'books_of'; did you mean harness.tools.books_by?",
            id="misspelt function",
        ),
        pytest.param(
            "harness.books_by('x')",
            "did you mean harness.tools.books_by?",
            id="function called like an operation",
        ),
        pytest.param(
            "harness.tools.books_by(7)",
            "author is str, not int 7",
            id="argument of a wrong type",
        ),
        pytest.param(
            "scratchpad.cite_all('/books/emma.txt')",
            "takes what a function of harness.tools returned",
            id="citing a path instead of a result",
        ),
    ],
)
def test_a_wrong_use_of_a_function_gets_a_message_with_the_right_one(
    library_server: ForkServer, script: str, message: str
) -> None:
    result = LibraryTrial(library_server).run(script)

    assert message in result.error
