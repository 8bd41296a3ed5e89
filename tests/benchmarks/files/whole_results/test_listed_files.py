"""Every file of a folder is listed by a call, or its result says `truncated`."""

import random
from pathlib import Path

from tests.benchmarks.files.opened_files import environment_of
from tests.benchmarks.files.whole_results.random_texts import call


def test_all_files_are_listed_or_the_result_is_truncated(
    rng: random.Random, tmp_path: Path
) -> None:
    """Three calls list files: `find`, which has a limit, `list` and `tree`."""
    names: set[str] = set()
    for number in range(rng.randrange(1, 400)):
        names.add(f"n{number}-{rng.randrange(10)}.txt")
    for name in names:
        (tmp_path / name).write_text("x")
    environment = environment_of(tmp_path)
    limit = rng.randrange(0, 300)

    find_result = call(environment, "find", name="*", limit=limit)
    list_result = call(environment, "list")
    tree_result = call(environment, "tree", level=0)

    if not find_result["truncated"]:
        found_names = {path.removeprefix("/") for path in find_result["paths"]}
        assert found_names == names
    assert {entry["name"] for entry in list_result["entries"]} == names
    assert {child["name"] for child in tree_result["children"]} == names
