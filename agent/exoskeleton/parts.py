"""The parts of the second solver, each of which can be switched off to measure what it is worth."""

from enum import StrEnum


class Part(StrEnum):
    """What stands around the model."""

    CLASSIFIER = "classifier"
    """A small model says what the request wants."""
    PREFLIGHT = "preflight"
    """Checks that can answer before the model is asked."""
    HELPERS = "helpers"
    """The environment's functions that find something are offered as tools."""
    LEDGER = "ledger"
    """What those functions found goes into the answer."""
    REFERENCES = "references"
    """References are put in order: existing, owned, linked, named."""
    FORMATTER = "formatter"
    """A small model brings the message into the form that was asked for."""
