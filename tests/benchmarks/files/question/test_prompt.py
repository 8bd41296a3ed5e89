"""The model's prompt for a question about files: which calls it begins with.

The results of these calls show the model what there is, such as names that could mislead it.
"""

from pathlib import Path

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.question_schema import FilesQuestion, tool_schema_of
from tests.benchmarks.files.opened_files import write_files


def test_prompt_lists_files_with_a_hash_in_their_names(tmp_path: Path) -> None:
    """The name `a.md#secret` looks like a part of `a.md`, and the model has to know better.

    The prompt does not list all of the 502 files, so a call in it lists those with a hash.
    """
    write_files(tmp_path, {"a.md": "x\n", "a.md#secret": "x\n"})
    for number in range(500):
        write_files(tmp_path, {f"d{number}/x.md": "x\n"})

    question = FilesQuestion("x", find_sources(tmp_path))
    tool_schema = tool_schema_of(question)

    initial_arguments = [call.arguments for call in tool_schema.initial_calls]
    list_names_with_hash = {
        "name": "*#*",
        "root": "/",
        "kind": "files",
        "limit": 2_000,
    }
    assert list_names_with_hash in initial_arguments
