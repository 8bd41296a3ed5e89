"""`pytest --gate-cases DIR`: one test for every case of a folder, which fails when a verdict changed.

Installed, pytest finds it by its entry point; from a bare checkout, `-p gates.evaluation.pytest_plugin`
names it. Without the option it does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    group = parser.getgroup("gates")
    group.addoption(
        "--gate-cases",
        metavar="DIR",
        action="append",
        default=[],
        help="judge every gate case in DIR (see python -m gates record) and say which verdict changed",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Add the folders to what is collected; with no other argument they are all that is collected."""
    folders = [str(Path(each).resolve()) for each in config.getoption("--gate-cases")]
    if not folders:
        return
    missing = [each for each in folders if not Path(each).is_dir()]
    if missing:
        msg = f"--gate-cases: no folder {missing[0]}"
        raise pytest.UsageError(msg)
    named = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
    config.args = [*named, *folders]
    config.pluginmanager.register(_Collector(folders), "gate-cases")


class _Collector:
    """Collects the JSON files of the folders as tests."""

    def __init__(self, folders: list[str]) -> None:
        self._folders = {Path(each) for each in folders}

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Return a collector for a case file."""
        if file_path.suffix == ".json" and file_path.parent in self._folders:
            collector: pytest.Collector = CaseFile.from_parent(parent, path=file_path)
            return collector
        return None


class CaseFile(pytest.File):
    """One case file; it holds one test."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the file's one test."""
        yield CaseItem.from_parent(self, name=self.path.stem)


class CaseItem(pytest.Item):
    """Judges one case."""

    def runtest(self) -> None:
        """Judge the case by today's gates and compare every expected verdict."""
        from gates.evaluation.gate_cases import changed_verdicts, read_case

        changed = changed_verdicts(read_case(self.path))
        if changed:
            raise VerdictChanged(changed)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """Return the changed verdicts, or why the file could not be judged."""
        if isinstance(excinfo.value, VerdictChanged):
            return "\n".join([f"{self.path.name}: the verdict changed", *excinfo.value.lines])
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the test stands."""
        return self.path, None, f"gate case {self.name}"


class VerdictChanged(Exception):
    """Today's gates judge a case otherwise."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines
