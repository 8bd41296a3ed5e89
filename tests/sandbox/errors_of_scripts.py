"""Errors of a call as the exceptions that a script sees.

A call of a missing file fails with `CallError("not_found", …)` in the parent process, and a script
sees `FileNotFoundError`.
"""

import contextlib
from collections.abc import Iterator

from controlplane.sandbox import Refusal
from controlplane.sandbox.child.step.scratchpad import HarnessError
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.argument_binding import UnboundArguments


@contextlib.contextmanager
def errors_of_scripts(refusal_type: type[Exception]) -> Iterator[None]:
    """Raise errors of the parent as a script sees them; a refusal is of the type `refusal_type`.

    After `with errors_of_scripts(CitationError)`, `Refusal("the reason is too short")` becomes
    `CitationError("the reason is too short")`.
    """
    try:
        yield
    except Refusal as refusal:
        raise refusal_type(str(refusal)) from None
    except UnboundArguments as error:
        raise TypeError(str(error)) from None
    except CallError as error:
        if error.code == "not_found":
            raise FileNotFoundError(error.message) from None
        raise HarnessError(error.code, error.message) from None
