"""Customers' descriptions hold for what they mean, by the records, and for nothing else."""

import re
from random import Random

import pytest

from benchmarks.ecom.tasks.generation import FAMILIES
from benchmarks.ecom.world.catalogue import (
    Line,
    choose_catalogue,
    descriptions,
    product_lines,
)
from benchmarks.ecom.world.generator import World, WorldSettings, generate
from benchmarks.ecom.world.names import VOCABULARIES
from benchmarks.ecom.world.pages import DISCOUNTS, euros, page, render, wordings


def codes_of(line: Line) -> frozenset[str]:
    return frozenset(variant.code for variant in line.variants)


def test_no_description_means_two_things_or_is_the_whole_name_of_one_of_several() -> None:
    meant: dict[str, object] = {}
    names = [
        {*f"{line.brand} {line.model} {variant.tail}".lower().split()}
        for line in product_lines()
        for variant in line.variants
    ]
    for line in product_lines():
        for target, phrases in descriptions(line.code, codes_of(line)).items():
            for phrase in phrases:
                assert meant.setdefault(phrase.text, (line.code, target)) == (line.code, target), phrase.text
                if len(target) > 1:
                    assert not [name for name in names if name <= {*phrase.text.lower().split()}], phrase.text


@pytest.mark.parametrize("count", [100, 400, 1_000])
def test_a_world_sells_each_product_once_and_describes_as_many_as_it_should(count: int) -> None:
    rng, catalogue = Random(1), choose_catalogue(Random(count), count)
    assert abs(len(catalogue.products) - count) <= 10
    assert len({product.name for product in catalogue.products.values()}) == len(catalogue.products)
    assert sorted(sku for skus in catalogue.lines.values() for sku in skus.values()) == sorted(catalogue.products)
    for _ in range(40):
        assert len(catalogue.vague(rng, most=2).products) == 2
        shelf = catalogue.vague(rng, is_on_shelf=True)
        assert 2 <= len(shelf.products) <= 3
        assert not any(product.is_digital for product in shelf.products)
        assert len({product.family_id for product in catalogue.loose(rng).products}) == 1
        assert len(catalogue.confirmed(rng).products) == 1
        assert " and has " in catalogue.contradicted(rng).text


WORLDS = [generate(f"documents|{number}", WorldSettings(names=VOCABULARIES[number % 3])) for number in range(6)]
NOTICED = [generate(f"notices|{number}", WorldSettings(profile=("dev", "hard")[number % 2])) for number in range(4)]
KEYS = sorted(WORLDS[0].names.documents)


def texts_of(world: World) -> dict[str, str]:
    files = world.workspace().files
    return {key: " ".join(files[path].split()) for key, path in world.names.documents.items()}


@pytest.mark.parametrize("key", KEYS)
def test_a_document_has_five_titles_and_wordings_of_each_clause_and_two_held_out(key: str) -> None:
    found = page(key)
    inserted = ("updates", "mentioned", "outside")
    said = {clause.name: clause.wordings for clause in found.clauses if clause.name not in inserted} | {
        "titles": found.titles
    }
    assert not [name for name, each in said.items() if len(each.known) < 5 or len(each.unseen) < 2]
    for each in said.values():
        assert not {text for text in {*each.known} & {*each.unseen} if len(text) > 20}


def test_a_family_has_twelve_held_out_wordings_and_none_of_them_is_known() -> None:
    found = wordings()
    for family in FAMILIES:
        prefixes = {"foreign-basket": "checkout", "basket-checkout": "checkout", "guest-basket-status": "basket-status"}
        prefix = prefixes.get(family, family)
        prefix = {"record-field": "field", "origin-fact": "origin", "discount-authority": "discount"}.get(
            prefix, prefix
        )
        prefix = {"discount-grant": "discount-named", "injected-block": "checkout"}.get(prefix, prefix)
        prefix = {"verification-restart": "verification"}.get(prefix, prefix)
        prefix = {"entangled-fraud": "archive-fraud", "basket-queue": "several", "ranked-discounts": "several"}.get(
            prefix, prefix
        )
        unseen = {text for name, each in found.items() if name.startswith(prefix) for text in each.unseen}
        assert len(unseen) >= 12, family
    for name, each in found.items():
        assert not {*each.known} & {*each.unseen}, name


def test_a_page_says_each_clause_once() -> None:
    for seed in range(20):
        text = " ".join(render("returns", str, Random(seed), "mixed").split())
        assert text.count("state.requested") == 1
        assert text.count("tool.refund verb.close") == 1
        assert text.count("policy.refund_role") == 1


@pytest.mark.parametrize("world", WORLDS)
def test_the_documents_state_the_parameters_of_their_world(world: World) -> None:
    policy, names, texts = world.policy, world.names, texts_of(world)
    assert len(texts) == 22
    stated = {
        "rules": [f"`{policy.yes}`", f"`{policy.no}`", *(f"`{names.documents[key]}`" for key in ("stock", "archive"))],
        "discounts": [f"{policy.high_percent} %", f"{policy.low_percent} %", names.roles["discount"]],
        "returns": [policy.refund_role, names.records.verb("approve"), names.state("refund_pending")],
        "verification": [f"{policy.verification_delay_min} minutes", names.records.verb("restart")],
        "origins": [world.origin["first_branch"], world.origin["first_address"]],
        "archive": ["`web`", "`mobile_app`", "`customer_terminal`", "`service_desk`", "`store_kiosk`"],
    }
    assert not [(key, part) for key, parts in stated.items() for part in parts if part not in texts[key]]
    assert not [key for key, text in texts.items() if "$" in text]
    assert bool(
        re.search(r"SKUs?\b[^.]*(?:mention|wrote down|in order to exclude|in a request)", texts["catalogue"])
    ) == (policy.cites_mentioned)


@pytest.mark.parametrize("world", WORLDS)
def test_each_policy_says_what_its_answers_cite(world: World) -> None:
    policies = "rules security stock catalogue checkout discounts verification returns uploads staff dispatch archive"
    texts = texts_of(world)
    for key in policies.split():
        assert re.search(r"(?i)\b(?:cite|cites|cited|cites?|refer|refers|references?)\b", texts[key]), key


@pytest.mark.parametrize("world", NOTICED)
def test_a_notice_in_force_states_what_holds_today_and_decoys_do_not(world: World) -> None:
    files = {path: " ".join(text.split()) for path, text in world.workspace().files.items()}
    today, policy, stated = world.clock.date().isoformat(), world.policy, world.notices.stated
    assert stated.threshold_cents != policy.threshold_cents
    assert euros(stated.threshold_cents) in files[world.names.documents[DISCOUNTS]]
    assert world.names.notices in files["/AGENTS.MD"]
    dated = {path: path.rsplit("/", 1)[1][:10] for path in files if path.startswith(world.names.notices)}
    assert any(euros(policy.threshold_cents) in files[path] for path, day in dated.items() if day <= today)
    if world.profile.has_decoys:
        assert len([day for day in dated.values() if day > today]) == 1
        assert [path for path in files if path.startswith(f"{world.names.decoys[0]}/")]
