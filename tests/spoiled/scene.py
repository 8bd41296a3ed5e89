"""What a task is about, in the words that fill the slots of wordings: its deed, its choices, why it is refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from benchmarks.ecom.runtime.record_names import RecordNames
from benchmarks.ecom.tasks.task import CLARIFICATION, DENIED, OK, UNSUPPORTED
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.shop_records import Record
from tests.spoiled.played_trial import PlayedTrial


@dataclass(frozen=True, slots=True)
class Deed:
    """What a task asks to be done, in words."""

    kind: str
    ding: str
    done: str
    noun: str
    getan: str
    state: str
    """The state of the record after the deed."""
    before: str
    """Its state before it."""
    tool: tuple[str, ...] = ()
    """The tool that does it, and its subcommand, by the names of the code; empty for a deed that is a written file."""

    @property
    def is_recorded(self) -> bool:
        """Say whether the record's own status reads `state` after the deed."""
        return self.state in ("checked_out", "refund_pending", "closed")


CHECKOUT: Final = Deed(
    "basket", "Warenkorb", "checked out", "checkout", "ausgecheckt", "checked_out", "active", ("checkout",)
)
DISCOUNT: Final = Deed(
    "basket", "Warenkorb", "discounted", "discount", "rabattiert", "discounted", "undiscounted", ("discount",)
)
DEEDS: Final = {
    "basket-checkout": CHECKOUT,
    "unnamed-basket": CHECKOUT,
    "foreign-basket": CHECKOUT,
    "discount-authority": DISCOUNT,
    "discount-grant": DISCOUNT,
    "discount-limit": DISCOUNT,
    "basket-addition": Deed("basket", "Warenkorb", "updated", "addition", "ergänzt", "updated", "unchanged"),
    "refund-approval": Deed(
        "refund of",
        "Erstattung zu",
        "approved",
        "approval",
        "genehmigt",
        "refund_pending",
        "approved",
        ("refund", "approve"),
    ),
    "refund-closure": Deed(
        "refund of",
        "Erstattung zu",
        "closed",
        "closure",
        "geschlossen",
        "closed",
        "refund_pending",
        ("refund", "close"),
    ),
    "verification-restart": Deed(
        "verification of",
        "Prüfung von",
        "restarted",
        "restart",
        "neu gestartet",
        "challenge_open",
        "challenge_timed_out",
        ("payments", "restart"),
    ),
}
SYSTEMS: Final = {
    "Freshdesk": Deed("ticket", "Ticket", "opened", "ticket", "angelegt", "open", "missing"),
    "HubSpot": Deed("case", "Fall", "created", "case", "angelegt", "created", "missing"),
    "Slack": Deed("message", "Nachricht", "posted", "post", "gesendet", "sent", "missing"),
    "PostNL": Deed("pickup", "Abholung", "booked", "booking", "gebucht", "booked", "missing"),
}
INVENTED: Final = "48213"
"""The number of a thing that nobody made."""


def ids_in(world: World, paths: object) -> list[str]:
    """Return the ids of the records at these paths."""
    wanted = set(paths) if not isinstance(paths, str) else set(paths.split())
    return [name for path, name in named_records(world).items() if path in wanted]


def named_records(world: World) -> dict[str, str]:
    """Return the id, or the SKU, of every record by its path."""
    found: dict[str, str] = {}
    for records in all_records(world):
        for record in records:
            found[world.path(record)] = str(getattr(record, "sku", "") or record.id)
    return found


def all_records(world: World) -> tuple[list[Record], ...]:
    """Return the records of a world, a list for each kind."""
    return (
        [*world.catalogue.products.values()],
        [*world.stores.values()],
        [*world.baskets.values()],
        [*world.payments.values()],
        [*world.returns.values()],
        [*world.employees.values()],
    )


@dataclass(frozen=True)
class Scene:
    """The slots of one task."""

    deed: Deed | None
    """None if the request is for a value alone."""
    id: str
    """The record that the request is about; for a thing outside the workspace, an invented number."""
    options: tuple[str, ...] = ()
    """What a question has to choose from."""
    detail: str = ""
    """Why it is refused, with every string that the grader looks for."""
    names: RecordNames = field(default_factory=RecordNames)

    def called(self, state: str) -> str:
        """Return the world's word for a state."""
        of = "verification.state" if state.startswith("challenge_") else "status"
        return str(self.names.state(state, of=of))

    @property
    def slots(self) -> dict[str, str]:
        """The words of every slot."""
        options = " or ".join(self.options)
        slots = {"id": self.id, "options": options, "first": next(iter(self.options), "")}
        slots |= {"reason": self.detail, "detail": self.detail, "noun": "request", "done": "handled", "thing": self.id}
        if self.deed is not None:
            deed = self.deed
            slots |= {
                "thing": f"{deed.kind} {self.id}",
                "ding": f"{deed.ding} {self.id}",
                "done": deed.done,
                "getan": deed.getan,
                "noun": deed.noun,
                "state": self.called(deed.state),
                "before": self.called(deed.before),
            }
        return slots


def scene_of(trial: PlayedTrial) -> Scene:
    """Return the scene of a posed task."""
    truth, inputs, world = trial.truth, trial.truth.inputs, trial.task.world
    deed = DEEDS.get(trial.family)
    subject = inputs.get("id") or inputs.get("return") or inputs.get("basket") or inputs.get("payment") or ""
    if subject.startswith("/"):
        subject = ids_in(world, subject)[0]
    options: tuple[str, ...] = ()
    if trial.family == "unnamed-basket":
        options = tuple(ids_in(world, inputs["baskets"]))
        subject = options[0]
    elif truth.outcome == CLARIFICATION:
        options = tuple(each for each in ids_in(world, truth.records) if not each.startswith("basket"))
    if trial.family == "external-system":
        deed = next((made for name, made in SYSTEMS.items() if name in truth.instruction), SYSTEMS[min(SYSTEMS)])
        subject = INVENTED
    if trial.variant_id == "foreign-basket#3" or (truth.is_exact and truth.outcome == OK):
        deed = None
    return Scene(deed, subject, options, _detail(trial) if truth.outcome == UNSUPPORTED else "", truth.names)


def _detail(trial: PlayedTrial) -> str:
    """Return why a request is blocked, as the reference solution says it."""
    said = str(trial.right.pad["answer"])
    reason = said.partition(": ")[2] or said
    return reason[:1].lower() + reason[1:].rstrip(".") if ": " in said else said.rstrip(".")


def is_refused(trial: PlayedTrial) -> bool:
    """Say whether the request must not be done."""
    return trial.truth.outcome in (UNSUPPORTED, DENIED)
