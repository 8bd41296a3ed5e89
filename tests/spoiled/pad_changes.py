"""Small changes of a scratchpad that wordings and kinds are put together from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.spoiled.played_trial import Pad


def reasons_of(pad: Pad) -> dict[str, str]:
    """Return the cited paths with their reasons."""
    refs = pad["refs_why"]
    assert isinstance(refs, dict)
    return dict(refs)


def with_reasons(pad: Pad, reasons: Mapping[str, str]) -> dict[str, object]:
    """Return the pad with other citations."""
    return {**pad, "refs_why": dict(reasons)}


def without_refs(pad: Pad, dropped: Iterable[str]) -> dict[str, object]:
    """Return the pad without some of its citations."""
    gone = set(dropped)
    return with_reasons(pad, {path: why for path, why in reasons_of(pad).items() if path not in gone})


def without(pad: Pad, *keys: str) -> dict[str, object]:
    """Return the pad without these keys."""
    return {key: value for key, value in pad.items() if key not in keys}


def saying(pad: Pad, answer: str, outcome: str = "") -> dict[str, object]:
    """Return the pad with another message and, if one is given, another outcome; it declares no tokens."""
    return {**without(pad, "tokens"), "answer": answer, "outcome": outcome or pad["outcome"]}


def record_name(path: str) -> str:
    """Return what the file of a record, or of a document, is called without its ending."""
    return path.rsplit("/", 1)[1].rpartition(".")[0]
