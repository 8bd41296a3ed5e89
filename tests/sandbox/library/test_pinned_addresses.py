"""What a script sees of addresses is the same in every process, and tells objects apart."""

from __future__ import annotations

import pytest

from sandbox import ForkServer, Sandbox
from tests.sandbox.pinned_scripts import mixed_scripts, scripts_apart
from tests.sandbox.script_world import NOW, SURFACE, Desk


def outcomes(server, scripts, together):
    """Run scripts, up to so many that carry nothing over in one child."""
    found, box, shared = {}, None, 0
    for title, source in scripts:
        is_alone = "harness" in source or "scratchpad" in source
        if box is None or is_alone or shared == together:
            if box is not None:
                box.close()
            box, shared = Sandbox(SURFACE, Desk(), now=NOW, seed=7, server=server), 0
        result = box.run(source, step=4)
        found[title] = result.output, result.error, result.ending, result.scratchpad
        shared = together if is_alone else shared + 1
    box.close()
    return found


@pytest.mark.parametrize(("chosen", "many", "few"), [(mixed_scripts, 1_000, 100), (scripts_apart, 500, 50)])
def test_mixed_scripts_are_the_same_alone_and_in_another_process_after_others(chosen, many, few, server, heavy):
    scripts = chosen(many if heavy else few)
    alone = outcomes(server, scripts, 1)
    with ForkServer() as other:
        after_others = outcomes(other, scripts[::-1], 8)
    assert len(alone) == len(scripts)
    assert {title: (alone[title], after_others[title]) for title in alone if alone[title] != after_others[title]} == {}


def test_what_is_not_a_number_is_found_again_and_keeps_its_place_in_a_set(box):
    code = (
        "from decimal import Decimal as D\nclass F(float): pass\n"
        "many = [f(x) for f in (float, F, D, complex) for x in ('nan', '1.5', 'inf')]\n"
        "print(all(each in {each} for each in many), len(set(many)))\n"
        "print(hash(F('nan')), hash(1.0), hash(D('2.50')) == hash(2.5))"
    )
    assert box.run(code).output == "True 6\n0 1 True\n"


@pytest.mark.parametrize("thing", ["lambda: 0", "object()", "(x for x in ())", "memoryview(b'')"])
def test_a_repr_shows_the_number_that_id_gives(box, thing):
    assert box.run(f"v = {thing}\nprint(f'{{id(v):#x}}' in repr(v))").output == "True\n"


def test_objects_without_equality_of_their_own_stay_apart_in_sets(box):
    code = (
        "from abc import ABC\nclass A(ABC): pass\nclass B(Exception): pass\n"
        "fs = [lambda: 0, len, int, object(), None]\n"
        "many = [A() for _ in range(20_000)]\n"
        "print(len(set(fs)), all(f in set(fs) for f in fs), len(set(many)), len({B() for _ in range(20_000)}))"
    )
    assert box.run(code).output == "5 True 20000 20000\n"
