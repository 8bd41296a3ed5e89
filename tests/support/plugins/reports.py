"""How many tests run side by side, and reports of tests with output that UTF-8 cannot express."""

import os
from collections.abc import Generator

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many tests `-n auto` runs side by side: three for two cores, since tests spend
    half their time waiting."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 2
    return min(max(2, cores * 3 // 2), 12)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[
    None, pytest.TestReport, pytest.TestReport
]:
    """Show lone surrogates in captured output as escapes.

    The processes of a test run send reports to each other as UTF-8, which cannot express them.
    """
    report = yield
    sections: list[tuple[str, str]] = []
    for title, text in report.sections:
        sections.append((title, text.encode(errors="backslashreplace").decode()))
    report.sections = sections
    return report
