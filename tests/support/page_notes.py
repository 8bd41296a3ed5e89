"""What a page in a browser complains of, and what it requests, by the events of the browser.

    {"method": "Network.requestWillBeSent", "params": {"request": {"url": "file:///report.html"}}}

adds "file:///report.html" to `requests`.
"""

import json
from typing import Any


class PageNotes:
    """Lists of the complaints and requests of a page."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        """Errors, console output and dialogs."""
        self.requests: list[str] = []
        """Addresses."""

    def note(self, event: dict[str, Any]) -> None:
        """Add an event of the browser to one of the lists, if it belongs there."""
        parameters = event.get("params", {})
        match event.get("method"):
            case "Log.entryAdded":
                self.complaints.append(parameters["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled":
                self.complaints.append(json.dumps(parameters["args"]))
            case "Page.javascriptDialogOpening":
                self.complaints.append(f"a dialog: {parameters['message']}")
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case _:
                pass
