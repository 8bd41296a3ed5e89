"""The answer to a question links to the file that says so, and the file opens at the right line."""

from pathlib import Path

import pytest

from tests.controlplane.report.browser.page_expressions import TRIAL_IS_SHOWN
from tests.controlplane.report.browser.viewed_runs import viewed_runs
from tests.support.browser import Browser
from tests.support.command import ROOT, run_controlplane

pytestmark = pytest.mark.second_tier


def test_the_claim_and_the_citation_open_the_file_at_their_line(
    browser: Browser, tmp_path: Path
) -> None:
    """The line is `"due": "2027-03-19"`. The example docs/examples/ask.toml answers by it."""
    examples = ROOT / "docs/examples"
    asked = run_controlplane(
        "ask",
        "Until when may loan-02 be kept?",
        examples / "library" / "desk",
        "--model",
        f"scripted:{examples / 'ask.toml'}",
        cwd=tmp_path,
    )
    assert asked.code == 0, asked.err

    with viewed_runs(browser, tmp_path, journals="runs"):
        run_address = browser.value("document.querySelector('.trials a').href")
        browser.visit(f"{run_address}#trial-1-1")
        browser.wait(TRIAL_IS_SHOWN)
        browser.wait("document.querySelectorAll('.file').length === 2")

        browser.value("document.querySelectorAll('.file')[0].click()")
        assert '"due": "2027-03-19"' in browser.text("#show .here")
        browser.value("document.getElementById('show').close()")

        browser.value("document.querySelectorAll('.file')[1].click()")
        assert '"due": "2027-03-19"' in browser.text("#show .here")
