"""`pytest --gate-cases DIR`: one test per gate case of a folder, which fails if a verdict changed.

pytest finds the installed plug-in by its entry point; in a bare checkout `-p gates.evaluation.pytest_plugin` loads it.
Without the option it does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    group = parser.getgroup("gates")
    group.addoption(
        "--gate-cases",
        metavar="DIR",
        action="append",
        default=[],
        help="judge every gate case in DIR (see python -m gates record) and say which verdict changed",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect the folders beside the arguments of the command line, or alone if there are none."""
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
        """Return the collector of a case file."""
        if file_path.suffix == ".json" and file_path.parent in self._folders:
            collector: pytest.Collector = CaseFile.from_parent(parent, path=file_path)
            return collector
        return None


class CaseFile(pytest.File):
    """One case file, which holds one test."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the file's one test."""
        yield CaseItem.from_parent(self, name=self.path.stem)


class CaseItem(pytest.Item):
    """Judges one case."""

    def runtest(self) -> None:
        """Judge the case by today's gates and compare all expected verdicts."""
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
        """Return the location and the name of the test."""
        return self.path, None, f"gate case {self.name}"


class VerdictChanged(Exception):
    """Today's gates give a case other verdicts."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines
