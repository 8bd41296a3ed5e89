"""The interface of models, and models that wrap others or read their replies from files."""

from controlplane.agent.model.benchmark_model import (
    ASK_SIDE_MODEL,
    BENCHMARK_ROLES,
    REVIEWER,
    SIDE_ROLES,
    BenchmarkModel,
)
from controlplane.agent.model.cached_model import CachedModel
from controlplane.agent.model.capabilities import Capabilities
from controlplane.agent.model.immutable_data import Amount, Count, Frozen, Received
from controlplane.agent.model.messages import Message, Thought
from controlplane.agent.model.model import Model, RoleModels
from controlplane.agent.model.model_errors import (
    Abandoned,
    BadReply,
    ModelError,
    OutOfBudget,
    OutOfTime,
    RetriesExhausted,
)
from controlplane.agent.model.model_request import ModelRequest, ReplyPermit
from controlplane.agent.model.priced_model import PricedModel
from controlplane.agent.model.prices import Prices
from controlplane.agent.model.public_prices import (
    LIST_PRICE,
    OPENAI_URL,
    public_price_source,
)
from controlplane.agent.model.reply import Reply, ReplyFields
from controlplane.agent.model.reply_mode import ReplyMode
from controlplane.agent.model.scripted.scripted_model import ScriptedModel
from controlplane.agent.model.scripted.scripted_reply import ScriptedReply
from controlplane.agent.model.tool import TOOL_NAME, Tool, ToolCall, object_schema
from controlplane.agent.model.usage import Usage
