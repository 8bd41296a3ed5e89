"""The MCP server imports no module by a second name, such as `agent.loop` for `controlplane.agent.loop`.

The module would be loaded twice. `controlplane mcp docs` is a server that offers agents a tool,
which runs scripts over the folder `docs`. Each of its processes writes the names that it imports
into a file.
"""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.imports.second_names.recorded_imports import (
    imports_of_each_process,
    modules_with_a_second_name,
    variables_for_recorder,
)
from tests.support.command import clean_environment


@pytest.mark.second_tier
def test_the_mcp_server_imports_no_module_by_a_second_name(
    imports: Path, tmp_path: Path
) -> None:
    mcp = pytest.importorskip("mcp")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "loans.md").write_text("loan-02: kept until 2026-03-01\n")
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "controlplane", "mcp", "docs"],
        cwd=tmp_path,
        env=clean_environment(**variables_for_recorder(imports)),
    )
    script = "print(harness.read('/loans.md').content)"

    async def run_script() -> str:
        transport = mcp.stdio_client(server, errlog=sys.__stderr__)
        async with mcp.Client(transport) as client:
            result = await client.call_tool("execute_script", {"code": script})
            return str(result.content)

    output = asyncio.run(run_script())

    assert "kept until 2026-03-01" in output
    modules_of_processes = imports_of_each_process(imports)
    assert modules_of_processes
    for modules in modules_of_processes:
        assert modules_with_a_second_name(modules) == []
