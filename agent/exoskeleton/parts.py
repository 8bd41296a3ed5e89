"""The parts of the exoskeleton solver that can be switched off, as by `--parts -classifier`.

The exoskeleton is the solver whose model calls tools, while code checks the request before, and
the answer afterwards. For "How many loans? Answer with the number only":

| part | what it does | without it |
|---|---|---|
| `classifier` | a small model describes the request: `{"change": false}` | no description |
| `preflight` | code may refuse a user who must not know | the model is always asked |
| `evidence-store` | cites the files by which a function has counted the loans | not cited |
| `references` | cites `/docs/loans.md` in place of a draft | the model's citations stay |
| `formatter` | `There are 12 loans.` becomes `12` | the model's message stays |

A benchmark adds the functions that do this (`SolverBindings`). Without one, its part does nothing.
"""

from __future__ import annotations

from enum import StrEnum


class Part(StrEnum):
    """A part of the solver that can be switched off."""

    CLASSIFIER = "classifier"
    """A small model describes the request, for the checks that run before the solver's model
    is asked."""
    PREFLIGHT = "preflight"
    """Checks of the benchmark may answer the request before the model is asked."""
    EVIDENCE_STORE = "evidence-store"
    """The model calls functions, such as `loan_count()`. The files that support their results
    are cited, too."""
    REFERENCES = "references"
    """The benchmark corrects which files the answer cites."""
    FORMATTER = "formatter"
    """The benchmark changes the answer: it applies its conventions, and brings the message
    into the requested form. It may ask a small model for both."""
