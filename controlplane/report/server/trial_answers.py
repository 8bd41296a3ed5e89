"""The data of a trial as JSON, which the script of a page asks for when a trial is opened."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from controlplane.report.model_requests import ModelRequest, model_requests
from controlplane.report.server.addressed_runs import AddressedRuns
from controlplane.report.server.watched_folder import WatchedFolder
from controlplane.report.trial_data import trial_json
from controlplane.terminal_text import one_line, sanitize


class TrialAnswers:
    """Answers requests about trials. The folder's lock is held while journals are read."""

    def __init__(self, folder: WatchedFolder) -> None:
        self.folder = folder
        self._addressed = AddressedRuns(folder)

    def trial(self, request: Request) -> Response:
        """Return a trial as JSON, which the script in the browser renders."""
        run, recorded = self._addressed.trial(request)
        name = one_line(recorded.journal.opened.name) or run.id
        with self.folder.lock:
            text = "".join(trial_json(name, recorded))
        return Response(text, media_type="application/json")

    def requests(self, request: Request) -> Response:
        """Return a trial's model requests as JSON, each with only its new messages."""
        _, recorded = self._addressed.trial(request)
        with self.folder.lock:
            requests = [_request_data(each) for each in model_requests(recorded)]
        return JSONResponse(requests)


def _request_data(request: ModelRequest) -> dict[str, object]:
    """Return a request in the form that `2_trial_page.js` expects."""
    messages = []
    for message in request.new_messages:
        role = sanitize(message.role)
        messages.append({"role": role, "text": sanitize(message.text)})
    return {
        "step": request.step,
        "role": sanitize(request.role),
        "shared": request.shared,
        "new_messages": messages,
    }
