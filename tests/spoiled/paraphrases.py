"""Right answers in other words, with other reasons, after other scripts: none of them may be stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from benchmarks.ecom.tasks.task import CLARIFICATION, DENIED, OK, UNSUPPORTED
from benchmarks.local.end_state_grader import holds_token
from tests.spoiled.fitting_citations import subject_of
from tests.spoiled.pad_changes import reasons_of, record_name, saying, with_reasons
from tests.spoiled.played_trial import Pad, PlayedTrial
from tests.spoiled.scene import Scene, scene_of
from tests.spoiled.script_variants import after, list_by_query
from tests.spoiled.speaking import right_reading
from tests.spoiled.spoil import OPEN, Spoil
from tests.spoiled.wordings import DRESSINGS, SCRIPTS, WORDINGS, filled

TABLES: Final = {
    OK: ("deeds", "careful-deeds"),
    DENIED: ("denials", "careful-refusals"),
    UNSUPPORTED: ("blocked", "details", "careful-refusals"),
    CLARIFICATION: ("questions", "careful-questions"),
}


def paraphrases(trial: PlayedTrial) -> Iterator[Spoil]:
    """Yield right answers; the grader is asked whether they are."""
    right = trial.right
    yield from (Spoil(each.title, each.part, right, each.entry(right.pad)) for each in DRESSINGS["dressings"])
    for each in WORDINGS["good-reasons"]:
        yield Spoil(each.title, each.part, right, _reasoned(right.pad, each.entry))
    for script in SCRIPTS["traces"]:
        play = trial.play(script.name, script.entry(trial.reference))
        yield Spoil(script.title, script.part, play, play.pad)
    looked_at = right_reading(trial, subject_of(trial))
    yield Spoil("read what is asked about", OPEN, looked_at, looked_at.pad)
    listed = trial.play("listed", after(list_by_query, trial.reference))
    yield Spoil("listed by queries", OPEN, listed, listed.pad)
    if not trial.truth.is_exact and trial.truth.measure is None:
        yield from _reworded(trial)


def _reasoned(pad: Pad, template: str) -> dict[str, object]:
    """Return the pad with every reason reworded; one that a name alone would not justify stays as it is."""
    reasons = reasons_of(pad)
    own = {path: template.format(reason=why, name=record_name(path)) for path, why in reasons.items()}
    kept = {path: why for path, why in reasons.items() if "{name}" in template and not path.startswith("/proc/")}
    return with_reasons(pad, {**own, **kept})


def _reworded(trial: PlayedTrial) -> Iterator[Spoil]:
    scene = scene_of(trial)
    slots = _true_slots(trial, scene)
    if trial.truth.outcome == OK and scene.deed is None:
        return  # Its message tells facts, which no sentence about a change does.
    for table in TABLES[trial.truth.outcome]:
        for each in WORDINGS[table]:
            if "{state}" in each.entry and not (scene.deed and scene.deed.is_recorded):
                continue
            message = filled(each.entry, slots)
            missing = [token for token in trial.truth.tokens if not holds_token(message, token)]
            said = f"{message} ({', '.join(missing)} percent)" if missing else message
            yield Spoil(each.title, each.part, trial.right, saying(trial.right.pad, said))


def _true_slots(trial: PlayedTrial, scene: Scene) -> Mapping[str, str]:
    """Return the slots of a right answer; a thing that nobody made has no number."""
    slots = {"ding": scene.id, "getan": "bearbeitet", **scene.slots}
    if trial.truth.outcome == DENIED:
        slots["reason"] = "the session has no right to it"
    if trial.family == "external-system":
        slots |= {"id": "the request", "thing": "the request", "ding": "die Anfrage", "done": "handled here"}
    if trial.truth.outcome == CLARIFICATION or not scene.id:
        slots |= {"id": "the request", "thing": "the request", "ding": "die Anfrage"}
    return slots
