"""The interface of models, and models that wrap others or read their replies from files."""

from controlplane.agent.model.cached_model import CachedModel
from controlplane.agent.model.model import (
    ASK_SIDE_MODEL,
    BENCHMARK_ROLES,
    REVIEWER,
    SIDE_ROLES,
    Abandoned,
    BadReply,
    BenchmarkModel,
    Model,
    ModelError,
    OutOfBudget,
    OutOfTime,
    RetriesExhausted,
    RoleModels,
    Unconnected,
)
from controlplane.agent.model.priced_model import (
    LIST_PRICE,
    OPENAI_URL,
    PricedModel,
    Prices,
    public_price_source,
)
from controlplane.agent.model.reply import (
    TOOL_NAME,
    Amount,
    Capabilities,
    Count,
    Frozen,
    Message,
    ModelRequest,
    ModelTool,
    Received,
    Reply,
    ReplyFields,
    ReplyMode,
    ReplyPermit,
    Thought,
    ToolCall,
    Usage,
    object_schema,
    script_tool,
)
from controlplane.agent.model.scripted import ScriptedModel, ScriptedReply
