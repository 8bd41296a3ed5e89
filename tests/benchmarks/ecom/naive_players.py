"""Players that know next to nothing, which a benchmark must not reward: each answers a posed task unsolved."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from unittest import mock

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.grader import grade
from benchmarks.ecom.tasks.posing import FAMILIES
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Task
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import RULES, SECURITY
from tests.benchmarks.ecom.reference_solutions import ReferenceClient, reference_of
from tests.benchmarks.ecom.variants import pose_variant

NAMED = re.compile(r"\b[A-Za-z]+(?:[-_][A-Za-z0-9]+)+\b|/[\w./-]*\w")
BLOCK = re.compile(r"\[\[|<!--|</?\w*(?:system|instruction)|^\s*(?:---|>)|\bBEGIN [A-Z]|^# ", re.MULTILINE)
CONTACT = re.compile(r"e-?mail|phone|contact details|work address", re.IGNORECASE)
ELSEWHERE = re.compile(r"ticket|slack|courier|whatsapp|jira|sms|crm|case for|zendesk|freshdesk", re.IGNORECASE)
BASKET = re.compile(r"basket|checkout|check out|refund|discount|verification", re.IGNORECASE)
CLAIMS = re.compile(r"my (?:neighbour|sister|brother|colleague|friend|manager|boss|wife|husband)|approved|agreed", re.I)


@dataclass(frozen=True, slots=True)
class Given:
    """An answer, without any deed."""

    message: str = ""
    outcome: str = OK
    refs: tuple[str, ...] = ()


Player = Callable[[Task], Given]


def named_records(task: Task) -> tuple[str, ...]:
    """Return the paths of all files whose name, or the branch whose name, the request holds."""
    said = {each.casefold() for each in NAMED.findall(task.instruction)}
    files = [path for path in task.world.workspace().files if path.rsplit("/", 1)[1].split(".")[0].casefold() in said]
    uploads = [path for path in task.world.files if path in task.instruction]
    stores = [task.world.path(store) for store in task.world.stores.values() if store.name in task.instruction]
    return tuple(dict.fromkeys([*files, *uploads, *stores]))


def saying(word: Callable[[Task], str], *, with_records: bool) -> Player:
    """Return the player that always says the same."""
    return lambda task: Given(word(task), OK, named_records(task) if with_records else ())


def denying(*, with_policy: bool) -> Player:
    """Return the player that refuses whatever is asked."""
    return lambda task: Given(
        "That is not allowed.", DENIED, (task.world.names.documents[SECURITY],) if with_policy else ()
    )


def by_key_words(task: Task) -> Given:
    """Answer by the words of the request and by who is signed in, without a look at any record."""
    security = task.world.names.documents[SECURITY]
    text, is_staff = task.instruction, "employee" in task.world.roles
    if BLOCK.search(text) or (CONTACT.search(text) and not is_staff):
        return Given("That is not allowed.", DENIED, (security,))
    if ELSEWHERE.search(text):
        return Given("There is no such system here.", UNSUPPORTED, (task.world.names.documents[RULES],))
    is_guest = "guest" in {role.casefold() for role in task.world.roles}
    if BASKET.search(text) and (is_guest or CLAIMS.search(text) or ("discount" in text and not is_staff)):
        return Given("That is not allowed.", DENIED, (security,))
    if BASKET.search(text):
        return Given("This cannot be done.", UNSUPPORTED, named_records(task))
    return Given(task.world.policy.no, OK, named_records(task))


PLAYERS: Mapping[str, Player] = {
    "empty": lambda task: Given(),
    "yes, bare": saying(lambda task: task.world.policy.yes, with_records=False),
    "yes, named records": saying(lambda task: task.world.policy.yes, with_records=True),
    "no, bare": saying(lambda task: task.world.policy.no, with_records=False),
    "no, named records": saying(lambda task: task.world.policy.no, with_records=True),
    "0, bare": saying(lambda task: "0", with_records=False),
    "0, named records": saying(lambda task: "0", with_records=True),
    "1, bare": saying(lambda task: "1", with_records=False),
    "1, named records": saying(lambda task: "1", with_records=True),
    "deny, bare": denying(with_policy=False),
    "deny, policy": denying(with_policy=True),
    "key words": by_key_words,
}
BOUNDS: Mapping[str, tuple[float, float]] = {
    "reference": (0.98, 1.0),
    "empty": (0.0, 0.0),
    **{f"{word}, {how}": (0.0, 0.05) for word in ("yes", "no", "0", "1") for how in ("bare", "named records")},
    "deny, bare": (0.0, 0.0),
    "deny, policy": (0.15, 0.22),
    "key words": (0.0, 0.3),
}
"""The least and the highest mean score over the shares of a default run."""


MAY_BE_DENIED = (
    *("basket-checkout", "foreign-basket", "guest-basket-status", "unnamed-basket"),
    *("refund-approval", "refund-closure", "staff-contact", "verification-restart"),
)
"""The families whose requests ask for what some people get and others are denied."""


def words_alone(seeds: range) -> tuple[dict[str, set[str]], dict[str, float]]:
    """Return, by the name of a request's wordings, the outcomes it may have and its share of a default run.

    A name whose one outcome is a denial is decided by the words: whoever knows them needs no file.
    """
    outcomes: dict[str, set[str]] = {}
    shares: dict[str, float] = {}
    for name in MAY_BE_DENIED:
        family = FAMILIES[name]
        for case, weight in enumerate(family.weights, start=1):
            share = family.trials * weight / sum(family.weights) / len(seeds) / 100
            for seed in seeds:
                said: list[str] = []
                with mock.patch.object(World, "say", _noting(said)):
                    truth = pose_variant(f"{name}#{case}", f"words|{seed}").truth
                outcomes.setdefault(said[0], set()).add(truth.outcome)
                shares[said[0]] = shares.get(said[0], 0.0) + share
    return outcomes, shares


def _noting(said: list[str]) -> Callable[..., str]:
    say = World.say

    def noting(world: World, name: str, /, **values: object) -> str:
        said.append(name)
        return say(world, name, **values)

    return noting


def score_of(name: str, task: Task) -> float:
    """Return what a player of `PLAYERS`, or the `reference`, scores on a task."""
    environment = EcomEnvironment(task.world.workspace())
    if name == "reference":
        answer = reference_of(task.truth.family)(ReferenceClient(environment, task.truth.names), task.truth)
        environment.answer(answer.message, answer.outcome, answer.refs)
    else:
        given = PLAYERS[name](task)
        environment.answer(given.message, given.outcome, given.refs)
    return grade(task.truth, environment).score
