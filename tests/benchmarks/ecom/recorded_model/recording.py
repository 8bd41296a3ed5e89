"""The recording of a model's replies to tasks of the shop, which the model "recorded" repeats.

    RECORDED_SCORES  # {"stock-count.1": 1.0, "open-branches.1": 0.0, ...}

The file has the score of each task, and the replies:

    [scores]
    "stock-count.1" = 1.0

    [[reply]]
    task = "stock-count.1"
    code = '''harness.tools.stock_at(...)'''
"""

from controlplane.agent.model import ScriptedModel
from controlplane.benchmarks.ecom.ecom_benchmark import RECORDING

RECORDED_SCORES = ScriptedModel.from_file(RECORDING).scores
"""The score of each recorded task, by its id."""
