"""The process and kernel layers hold without the language layer, which restricts Python.

A script in unrestricted Python may import anything and call the system. Namespaces and seccomp (the
kernel layer), and limits, an audit hook and other rights in the child process (the process layer)
are what is left to stop it.
"""

import os

import pytest

from controlplane.sandbox import Layer, Limits
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.sandbox.script_corpus import corpus_scripts

pytestmark = pytest.mark.second_tier


class TestKernelLayer:
    """A script in unrestricted Python does not get through the kernel layer.

    Without the language layer a script may import anything and call the system. It prints LEAK
    if it reached the file, the port or the environment variable of the fixture `canary`, which
    tells the script where they are: `CANARY = "/tmp/.../canary.txt"`, `PORT = 40123`.
    """

    @pytest.mark.parametrize(
        "isolation", ["kernel", pytest.param("process,kernel", marks=pytest.mark.heavy)]
    )
    def test_no_attack_in_unrestricted_python_gets_through_the_kernel_layer(
        self, isolation, server, canary
    ):
        layers = frozenset(Layer(name) for name in isolation.split(","))
        leaks = {}
        for title, script in corpus_scripts("attacks/kernel.txt"):
            with new_sandbox(
                server, isolation=layers, limits=Limits(step_wall_s=1)
            ) as sandbox:
                result = sandbox.run(canary + script)
            if "LEAK" in result.output:
                leaks[title] = result

        assert leaks == {}


SHOW_RIGHTS = """
import os
ids = os.getresuid() + os.getresgid() + tuple(os.getgroups())
print("is root:", 0 in ids)
print("sees /etc:", os.access("/etc", os.F_OK))
"""


class TestRightsOfRoot:
    """The process layer takes the rights of root from a script, if root runs the tests.

    The script prints whether any of its ids is that of root, and whether it sees `/etc`.
    """

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
    def test_the_process_layer_takes_rights_and_files_from_a_script_of_root(
        self, server
    ):
        with new_sandbox(server, isolation=frozenset({Layer.PROCESS})) as sandbox:
            result = sandbox.run(SHOW_RIGHTS)

        assert result.output == "is root: False\nsees /etc: False\n"

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
    def test_without_isolation_a_script_of_root_is_root(self, server):
        """The same script shows that the process layer is what takes its rights."""
        with new_sandbox(server, isolation=frozenset()) as sandbox:
            result = sandbox.run(SHOW_RIGHTS)

        assert result.output == "is root: True\nsees /etc: True\n"
