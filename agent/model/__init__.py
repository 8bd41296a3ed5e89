"""The interface of models, and models that wrap others or read their replies from files."""

from controlplane.agent.model.benchmark_model import (
    ASK_SIDE_MODEL,
    BENCHMARK_ROLES,
    REVIEWER,
    SIDE_ROLES,
    BenchmarkModel,
    Model,
    RoleModels,
)
from controlplane.agent.model.cached_model import CachedModel
from controlplane.agent.model.priced_model import (
    Abandoned,
    BadReply,
    ModelError,
    OutOfBudget,
    OutOfTime,
    PricedModel,
    RetriesExhausted,
    Unconnected,
)
from controlplane.agent.model.public_prices import (
    LIST_PRICE,
    OPENAI_URL,
    Prices,
    public_price_source,
)
from controlplane.agent.model.reply import (
    Capabilities,
    Message,
    ModelRequest,
    Reply,
    ReplyFields,
    ReplyMode,
    ReplyPermit,
    Thought,
)
from controlplane.agent.model.reply_part import (
    TOOL_NAME,
    Amount,
    Count,
    Frozen,
    ModelTool,
    Received,
    ToolCall,
    Usage,
    object_schema,
)
from controlplane.agent.model.scripted import ScriptedModel, ScriptedReply
