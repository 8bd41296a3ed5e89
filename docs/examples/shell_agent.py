"""mini-swe-agent, an agent that only has a shell.

`controlplane run --benchmark folder:docs/examples/library --agent "command:MINI/bin/python docs/examples/shell_agent.py"`

MINI is a virtual environment of its own: `python -m venv MINI; MINI/bin/pip install
mini-swe-agent`. The agent asks the model that MSWEA_MODEL_NAME names as litellm spells it, such as
`openai/qwen3:8b`, at the endpoint of OPENAI_BASE_URL, with the key OPENAI_API_KEY. It reaches the
trial's tools by the command `controlplane mcp call`.
"""

import json
import os
import sys

# Without it, litellm fetches prices from the network when it is imported.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.litellm_textbased_model import LitellmTextbasedModel

SYSTEM = """\
You solve a task with shell commands alone. Each reply has a sentence of thought and
exactly one command:

```mswea_bash_command
controlplane mcp call read '{"path": "/AGENTS.MD"}'
```
"""

TASK = """\
{{task}}

The files are behind `controlplane mcp call TOOL JSON`, never in this folder. TOOL is
read, list, tree, find, search, or execute_script with {"code": "..."}, a Python script
that calls `harness.read(path)` and so on. Submit the answer with report_completion:
{"answer": "...", "outcome": "OUTCOME_OK",
 "citations": [{"path": "...", "reason": "..."}]}.
When it says that the answer passed the gates, run
`echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT`, alone."""

model = LitellmTextbasedModel(
    model_name=os.environ["MSWEA_MODEL_NAME"], cost_tracking="ignore_errors"
)
agent = DefaultAgent(
    model,
    LocalEnvironment(timeout=120),
    system_template=SYSTEM,
    instance_template=TASK,
    step_limit=30,
)
ending = agent.run(sys.stdin.read())
print(json.dumps({"ended": ending.get("exit_status"), "calls": agent.n_calls}))
