"""The simulated shop that a script works in: its calls, and what a script has read by them.

A script calls operations such as `read` and `exec`; `exec` runs a tool such as `/bin/cat`. In the
end it submits one answer, which may cite only files that were read. The tests show how wrong calls
fail, what counts as read, and that a worker process never gets to know the right answer.
"""

import json
from unittest import mock

import pytest

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import Profile, WorldSettings
from controlplane.benchmarks.ecom.world.world import World
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.ecom.variant_ids import family_of_variant, variant_ids
from tests.benchmarks.ecom.variants import generate_variant


@pytest.fixture
def world() -> World:
    """A generated shop. Its SQL tool works, which has an outage in some other worlds."""
    world = generate("tools", WorldSettings(names="own"))
    world.profile = Profile(sql_is_up=True)
    return world


@pytest.fixture
def shop(world: World) -> EcomEnvironment:
    return EcomEnvironment(workspace_of(world))


class TestEndOfTrial:
    """A trial ends with one answer. Then it is closed, and its shop with it."""

    def test_a_second_answer_is_refused(self, shop: EcomEnvironment) -> None:
        """The first answer stays."""
        shop.answer("a", "OUTCOME_OK", ["/AGENTS.MD"])

        with pytest.raises(CallError) as refusal:
            shop.answer("b", "OUTCOME_OK", [])

        assert refusal.value.code == "already_exists"
        assert shop.submission is not None
        assert shop.submission.message == "a"

    def test_no_call_and_no_answer_is_possible_after_the_end(
        self, shop: EcomEnvironment
    ) -> None:
        """The trial is closed after its answer."""
        shop.answer("a", "OUTCOME_OK", ["/AGENTS.MD"])

        shop.close()

        with pytest.raises(CallError, match="has ended"):
            shop.call("list", {})
        with pytest.raises(CallError, match="has ended"):
            shop.answer("c", "OUTCOME_OK", [])


@pytest.fixture
def store_path(world: World) -> str:
    """The path of a file in the shop: the record of a branch, which is JSON."""
    first_store, *_ = world.stores.values()
    return world.path(first_store)


def files_read_by(
    shop: EcomEnvironment, tool: str, *arguments: str, stdin: str = ""
) -> set[str]:
    """Run a tool as a script does, and return the paths of the files that count as read.

    `files_read_by(shop, "cat", "/AGENTS.MD")` -> `{"/AGENTS.MD"}`. The tool must succeed.
    """
    # The recorder is what makes the calls of a trial, and notes what they have read.
    recorder = new_recorder(
        trial_id="t", environment=shop, emit=lambda event: None, tape=Tape()
    )
    recorder.step_log.begin(1)

    result = recorder.calls.make(
        "exec", {"path": f"/bin/{tool}", "args": list(arguments), "stdin": stdin}
    )

    assert result["exit_code"] == 0
    return set(recorder.evidence_log.view().accesses)


class TestFilesReadByTools:
    """An answer may only cite files that the script has read, directly or by a tool.

    `files_read_by(shop, "cat", "/AGENTS.MD")` runs a tool as a script does, and returns
    the paths of the files that count as read: `{"/AGENTS.MD"}`. Here it is the record of
    a branch, which is JSON.
    """

    def test_a_file_that_cat_prints_counts_as_read(
        self, shop: EcomEnvironment, store_path: str
    ) -> None:
        assert store_path in files_read_by(shop, "cat", store_path)

    def test_a_file_that_cat_prints_with_line_numbers_counts_as_read(
        self, shop: EcomEnvironment, store_path: str
    ) -> None:
        assert store_path in files_read_by(shop, "cat", "-n", store_path)

    @pytest.mark.parametrize(
        "program",
        [
            pytest.param([".id"], id="a field"),
            pytest.param(["-r", ".inventory[0].sku"], id="a field of a field"),
        ],
    )
    def test_a_file_from_which_jq_prints_a_value_counts_as_read(
        self, shop: EcomEnvironment, store_path: str, program: list[str]
    ) -> None:
        assert store_path in files_read_by(shop, "jq", *program, store_path)

    def test_the_record_of_a_branch_counts_as_read_if_its_stock_is_printed(
        self, shop: EcomEnvironment, store_path: str
    ) -> None:
        """The tool has read the record, although the branch does not have the product `VH-NONE`."""
        assert store_path in files_read_by(shop, "availability", store_path, "VH-NONE")


class TestStandardInputOfTools:
    """With `-`, a tool reads its standard input, and no file counts as read.

    What the tool prints may then be words of the script, of which nobody can tell that
    they are not the file's.
    """

    def test_a_file_does_not_count_as_read_if_cat_prints_its_input(
        self, shop: EcomEnvironment, store_path: str
    ) -> None:
        """The file is printed, too, but after the words of the script."""
        read = files_read_by(shop, "cat", "-", store_path, stdin="own words")

        assert store_path not in read

    def test_a_file_does_not_count_as_read_if_jq_prints_its_input(
        self, shop: EcomEnvironment, store_path: str
    ) -> None:
        assert store_path not in files_read_by(shop, "jq", ".", "-", stdin="{}")

    def test_a_branch_does_not_count_as_read_if_the_stock_is_that_of_the_input(
        self, shop: EcomEnvironment, store_path: str
    ) -> None:
        """After `-`, the branch's path is no file, but stands in the place of a product's SKU."""
        read = files_read_by(
            shop, "availability", "-", store_path, stdin='{"inventory": []}'
        )

        assert store_path not in read

    def test_a_tool_that_prints_its_help_reads_no_file_of_the_shop(
        self, shop: EcomEnvironment, store_path: str
    ) -> None:
        assert store_path not in files_read_by(shop, "sql", "--help")


class TestWorker:
    """Tools run in a worker process, to which the environment sends the files and the call.

    A hostile script may take the worker over, and must not find there what the right answer is.
    """

    @pytest.mark.parametrize("variant_id", variant_ids()[:4])
    def test_nothing_of_the_right_answer_is_sent_to_a_worker(
        self, variant_id: str
    ) -> None:
        task = generate_variant(variant_id, f"0|{variant_id}|0")
        shop = EcomEnvironment(workspace_of(task.world))
        messages: list[str] = []

        def record_call(
            function: str, *arguments: object, serve: object = None
        ) -> object:
            messages.append(json.dumps([function, *arguments]))
            return {"result": {"stdout": ""}, "changes": {}}

        # In place of the worker, `record_call` gets what is sent to it.
        worker = mock.Mock(call=record_call, when_started=lambda begin: begin())
        shop.use_worker(worker)
        shop.call("exec", {"path": "/bin/cat", "args": ["/AGENTS.MD"]})

        assert len(messages) == 2  # the workspace and the call
        sent = "".join(messages)
        family = family_of_variant(variant_id)
        secrets = [task.instruction, variant_id, family, "OUTCOME_", "Truth", "grade"]
        for content in task.truth.changes.values():
            if content:
                secrets.append(content)
        for secret in secrets:
            secret_in_json = json.dumps(secret).removeprefix('"').removesuffix('"')
            assert secret_in_json not in sent, secret


class TestWrongCalls:
    """A wrong call fails with a code, by which a script can tell what is wrong with it.

    A script calls `harness.read(path="/AGENTS.MD")`, which is
    `shop.call("read", {"path": "/AGENTS.MD"})` here.
    """

    @pytest.mark.parametrize(
        ("operation", "arguments", "code"),
        [
            pytest.param("read", {"path": "/nothing"}, "not_found", id="no such file"),
            pytest.param("read", {}, "invalid_argument", id="no path"),
            pytest.param(
                "read", {"path": 7}, "invalid_argument", id="a number as path"
            ),
            pytest.param(
                "read",
                {"path": "/AGENTS.MD", "start_line": True},
                "invalid_argument",
                id="a boolean as line number",
            ),
            pytest.param(
                "read",
                {"path": "/AGENTS.MD", "lines": 3},
                "invalid_argument",
                id="an unknown argument",
            ),
            pytest.param(
                "list", {"path": "/AGENTS.MD"}, "invalid_argument", id="list of a file"
            ),
            pytest.param("exec", {"path": "/bin/rm"}, "not_found", id="no such tool"),
            pytest.param(
                "exec", {"path": "/AGENTS.MD"}, "invalid_argument", id="a file as tool"
            ),
            pytest.param(
                "exec",
                {"path": "/bin/id", "args": "x"},
                "invalid_argument",
                id="a text as list of arguments",
            ),
            pytest.param(
                "write",
                {"path": "/bin/id", "content": "x"},
                "permission_denied",
                id="write of a tool",
            ),
            pytest.param(
                "write",
                {"path": "/AGENTS.MD", "content": "x", "if_match_sha256": "0"},
                "failed_precondition",
                id="write of a file that has changed meanwhile",
            ),
            pytest.param("shout", {}, "unimplemented", id="unknown operation"),
        ],
    )
    def test_a_wrong_call_fails_with_a_code(
        self,
        shop: EcomEnvironment,
        operation: str,
        arguments: dict[str, Plain],
        code: str,
    ) -> None:
        """A script can tell by the code what is wrong with its call."""
        with pytest.raises(CallError) as error:
            shop.call(operation, arguments)

        assert error.value.code == code
