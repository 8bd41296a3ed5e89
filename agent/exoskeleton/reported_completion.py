"""What a model reports when it ends a trial."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gates.submission import OUTCOMES


def _as_outcome(value: object) -> object:
    """Return an outcome's whole name for one without what all names begin with."""
    return next((each for each in OUTCOMES if value in (each, each.removeprefix("OUTCOME_"))), value)


def _as_references(value: object) -> object:
    """Return references as objects; a text alone is a path."""
    if value is None:
        return ()
    return [{"path": each} if isinstance(each, str) else each for each in value] if isinstance(value, list) else value


def _as_text(value: object) -> object:
    """Return notes as one text; a list is one line each."""
    return "\n".join(map(str, value)) if isinstance(value, list) else value


class CitedPath(BaseModel):
    """A file with the reason why it is cited."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    path: str
    reason: str = ""
    quote: str = ""
    """Exact words of the file."""


References = Annotated[tuple[CitedPath, ...], BeforeValidator(_as_references)]


class Completion(BaseModel):
    """The arguments of the completing call."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    message: str
    outcome: Annotated[str, BeforeValidator(_as_outcome)]
    notes: Annotated[str, BeforeValidator(_as_text)] = ""
    task_type: str = "other"
    documents: References = ()
    records: References = ()
    protected: bool = Field(default=False)

    @property
    def reasons(self) -> dict[str, str]:
        """Its references: paths in their order, documents first, each with its reason."""
        return {each.path: each.reason for each in (*self.documents, *self.records)}

    @property
    def quotes(self) -> dict[str, str]:
        """The quotations of its references, by path."""
        return {cited.path: cited.quote for cited in (*self.documents, *self.records) if cited.quote}

    def with_references(self, reasons: dict[str, str], **changes: Any) -> Completion:
        """Return it with other references, all as records, in their order."""
        quotes = self.quotes
        records = tuple(
            CitedPath(path=path, reason=reason, quote=quotes.get(path, "")) for path, reason in reasons.items()
        )
        return self.model_copy(update={"documents": (), "records": records, **changes})
