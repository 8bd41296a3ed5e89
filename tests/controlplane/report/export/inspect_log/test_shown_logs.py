"""Inspect shows the log that `export last --to run.eval` has written as web pages.

Inspect is a framework for evaluations of models. A browser without a window opens each page and waits
until it shows all of its words, such as "calendar-date.1" and the answer, "24-11-2027".
"""

import json

import pytest

from tests.support.browser import Browser

PAGES_OF_INSPECT_VIEW = {
    "": ["calendar-date.1", "24-11-2027", "MEAN", "1.0"],
    "/samples/sample/calendar-date.1/1/messages": [
        "SYSTEM",
        "USER",
        "ASSISTANT",
        "datetime.timedelta(days=7)",
    ],
    "/samples/sample/calendar-date.1/1/scoring": ["grader", "24-11-2027", "SCORE"],
}
"""The pages about the log of the sample, each with words that it shows."""


@pytest.mark.second_tier
def test_inspect_view_shows_samples_messages_and_scores(
    address_of_inspect_view: str, browser: Browser
) -> None:
    browser.size(1280)
    for page, words in PAGES_OF_INSPECT_VIEW.items():
        browser.send("Page.navigate", url="about:blank")
        url = f"{address_of_inspect_view}/#/tasks/run.eval{page}"
        browser.send("Page.navigate", url=url)
        shows_word = "word => document.body?.innerText.includes(word)"
        browser.wait(f"{json.dumps(words)}.every({shows_word})")
