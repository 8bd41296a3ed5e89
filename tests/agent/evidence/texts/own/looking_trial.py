"""A trial that asks a server by the call `db.look(q)`, and quotes the results.

    trial = LookingTrial()
    path = trial.look("loan-02", result="loan-02: the fee is 4711 EUR")
    trial.quote(path, "4711 EUR")   # Raises `ValueError` if the quotation is refused.

The task of the trial is "What is the fee for loan-02?".
"""

from controlplane.agent.evidence import EvidenceLog
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Parameter,
    ResultField,
    ToolSchema,
)

LOOK = Operation(
    name="db.look",
    parameters=(Parameter("q", "any", ""),),
    fields=(ResultField("call_path"), ResultField("text")),
    summary="looks",
    effect=Effect.RETURNS,
    subject="",
)


class LookingTrial:
    """A trial that asks a server by the call `db.look(q)`, and quotes the results.

    Its task is "What is the fee for loan-02?".
    """

    def __init__(self) -> None:
        self._log = EvidenceLog(ToolSchema((LOOK,)))
        self._log.add_given_text("What is the fee for loan-02?")
        self._call_count = 0

    def look(self, q: object, *, result: str) -> str:
        """Call `db.look(q)`, which returns this result. Return the path by which it is cited."""
        self._call_count += 1
        path = f"/mcp/db/{self._call_count}"
        self._log.add_call(
            "db.look", {"q": q}, {"call_path": path, "text": result}, error=None
        )
        return path

    def quote(self, path: str, quotation: str) -> None:
        """Cite a result with a quotation of it. Raises `ValueError` if this is refused."""
        place = self._log.citations.check(path, "it names the fee", quotation)
        assert place.spelling == path
