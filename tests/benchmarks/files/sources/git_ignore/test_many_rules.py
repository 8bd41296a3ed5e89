"""Many rules with many stars in a `.gitignore` file take no long time."""

from pathlib import Path

from controlplane.benchmarks.files.files_benchmark import find_sources
from tests.benchmarks.files.opened_files import write_files


def test_many_rules_with_many_stars_are_applied(tmp_path: Path) -> None:
    """A matcher that tries all places of the stars would take hours for names full of `a`.

    No rule with stars fits a name, since the names end with `x`. The file `c` is ignored.
    """
    rules = [f"*a*a*a*a*{number}\n" for number in range(300)]
    similar_names = [f"{'a' * 60}-{number}x" for number in range(100)]
    write_files(tmp_path, {".gitignore": "".join(rules) + "c\n"})
    write_files(tmp_path, dict.fromkeys(["b", "c", *similar_names], "x"))

    sources = find_sources(tmp_path)

    assert "/b" in sources.paths
    assert "/c" not in sources.paths
    assert len(sources.paths) == 1 + len(similar_names)  # 1 is `b`.
