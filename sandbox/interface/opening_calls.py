"""What turn one shows of an environment, declared as data: calls, and the files that the instruction names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.interface.operations import Plain


@dataclass(frozen=True, slots=True)
class EachOf:
    """Repeat an opening call once for every value that another call lists."""

    operation: str
    arguments: Mapping[str, Plain]
    field: str
    """The result field that lists the values; an element that is a mapping counts by its `path`."""


@dataclass(frozen=True, slots=True)
class OpeningCall:
    """One call whose result turn one shows. With `each_of`, one call per listed value, put into `subject`."""

    operation: str
    arguments: Mapping[str, Plain] = field(default_factory=dict)
    each_of: EachOf | None = None
    most_chars: int | None = None
    """Characters of its text that turn one shows at most; None: as many as the limits allow."""
    fitting_chars: int | None = None
    """With `each_of`: turn one shows the texts that fit the instruction best, together at most so many characters, and
    names the others; None: it shows all of them."""
    longest_listing: int | None = None
    """Of a tree: a folder with more files is drawn as their number, the first and the last; None: none is."""


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Files that turn one shows because of their names.

    They are those that the instruction or the output of an opening tool names, those that these files name in turn or
    that hold such a name, and a sample of each folder below `sampled`. What files there are is told by a tree among the
    opening calls.
    """

    roots: tuple[str, ...]
    """The folders in which they lie."""
    sampled: str = ""
    """The folder of whose every folder one file is shown; empty: no samples."""
    read: str = "read"
    """The operation that reads one, by its subject."""
    search: str = ""
    """The operation that finds files holding a name, by `pattern`, `root` and `limit`; empty: nothing is searched."""
    most: int = 12
    """How many files are read for their names."""
    chars: int = 3_000
    """Characters of all of them."""
    each_chars: int = 600
    """Characters of one."""
    sample_chars: int = 240
    """Characters of one sample."""
