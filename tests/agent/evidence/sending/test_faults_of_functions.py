"""A function of a benchmark that does what it must not fails with a message that names the fault.

`harness.tools.books_by(author)` runs code of the benchmark in the sandbox. For some authors, such as
"broken", it does something wrong: `LibraryTrial(server).run(script)` returns what comes of the script.
"""

from controlplane.sandbox import ForkServer
from tests.agent.evidence.sending.library_trial import LibraryTrial


def test_a_function_may_decline(library_server: ForkServer) -> None:
    """For "nobody", the function raises the error by which a function declines, with its
    reason."""
    result = LibraryTrial(library_server).run("harness.tools.books_by('nobody')")

    assert "failed_precondition: nobody is no author" in result.error


def test_a_function_with_a_bug_is_named_with_its_error(
    library_server: ForkServer,
) -> None:
    """For "broken", the function raises `ZeroDivisionError`."""
    result = LibraryTrial(library_server).run("harness.tools.books_by('broken')")

    expected_message = (
        "internal: tests.support.books.book_functions:books_by broke: ZeroDivisionError"
    )
    assert expected_message in result.error


def test_a_function_may_not_write(library_server: ForkServer) -> None:
    """For "writer", the function calls `harness.write`, which does not reach the
    environment."""
    trial = LibraryTrial(library_server)

    result = trial.run("harness.tools.books_by('writer')")

    expected_message = "permission_denied: inside a function harness calls only read"
    assert expected_message in result.error
    calls_at_environment = trial.library.asked
    assert "write" not in calls_at_environment


def test_a_function_with_too_many_calls_is_stopped(library_server: ForkServer) -> None:
    """For "endless", the function makes 1,000 calls. A function may make 300."""
    result = LibraryTrial(library_server).run("harness.tools.books_by('endless')")

    assert "the function needs more than 300 calls" in result.error
