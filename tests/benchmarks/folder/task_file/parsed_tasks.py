"""Parses the text of a task.toml, as a user may have written it.

    fault_of("instruction = 7")  # "t.toml: instruction: Input should be a valid string, not 7"

The file of the text is called t.toml.
"""

import pytest

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.task_file import TaskFile
from controlplane.benchmarks.folder.task_text import TaskText


def parse(text: str) -> TaskFile:
    """Return the task of this text, which is the file t.toml. Raises `BenchmarkError`."""
    return TaskText(text, "t.toml").parsed()


def fault_of(text: str) -> str:
    """Parse a text that must be refused, and return the message."""
    with pytest.raises(BenchmarkError) as error:
        parse(text)
    return str(error.value)
