"""The name that a user gives a run: `run --name monday`, and then `show monday`."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator

from controlplane.sandbox.interface import bounds

LAST: Final = "last"
"""The word by which commands mean the latest run."""


def check_run_name(name: str) -> str:
    """Return the name of a run without surrounding spaces.

    Raises `ValueError` for a name that lists cannot show.
    """
    name = name.strip()
    if len(name) > bounds.MOST_NAME_CHARS:
        msg = (
            f"a run's name has at most {bounds.MOST_NAME_CHARS} characters; "
            f"this one has {len(name):,}"
        )
        raise ValueError(msg)
    if not name.isprintable():
        msg = "a run's name must not contain line breaks or control characters"
        raise ValueError(msg)
    if name == LAST:
        msg = (
            f"a run cannot be named {LAST!r}: commands use that word for the latest run"
        )
        raise ValueError(msg)
    return name


RunName: TypeAlias = Annotated[str, AfterValidator(check_run_name)]
