"""Texts of models, environments and users stay texts in a report, and do not become HTML.

`hostile_journal` writes runs whose texts end elements, begin scripts, load images and steer terminals:
`<script>document.title='owned'</script>`.
"""

import re
from pathlib import Path

import pytest

from controlplane.report.run_report import run_report
from tests.controlplane.report.hostile.page_elements import PageElements
from tests.controlplane.report.hostile_journal import hostile_journal

TAG_NAMES = """
    html head meta title style script body header main nav section article
    h1 h2 h3 p a b span div ul li dl dt dd code kbd noscript
    table thead tbody tfoot tr th td details summary figure figcaption
    form label input select option button output dialog
    svg rect line text meter
"""


@pytest.mark.parametrize("runs", [1, 2])
def test_hostile_text_in_every_field_stays_text(runs: int, tmp_path: Path) -> None:
    """The journals have HTML with scripts in every text from a model, an environment or a user."""
    journals = []
    for number in range(runs):
        journals.append(hostile_journal(tmp_path / f"{number}.jsonl"))
    html = "".join(run_report(journals).pieces)

    # The hostile HTML is shown as text.
    page = PageElements(html)
    assert "document.title='owned'" in page.text
    # All kinds of elements that a report has. Hostile texts have others: img, iframe, ...
    tags_of_reports = set(TAG_NAMES.split())
    # It has not made any element, script, style or attribute that runs a script.
    assert page.tags <= tags_of_reports
    assert html.count("<script>") == 1  # the report's own
    assert "style" not in page.attributes
    assert [name for name in page.attributes if name.startswith("on")] == []
    # All links lead to places in the page itself.
    assert page.link_targets
    for target in page.link_targets:
        assert target.startswith("#")
    # No character turns the direction of the text, or steers a terminal.
    control_characters = "[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]"
    assert re.search(control_characters, html) is None
