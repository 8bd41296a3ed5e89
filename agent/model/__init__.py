"""Models: the protocol, scripted replies, a cache of replies."""

from agent.model.benchmark_model import (
    ASIDE_ROLES,
    ASK_ASIDE,
    BENCHMARK_ROLES,
    REVIEWER,
    BenchmarkModel,
    request_key,
)
from agent.model.model_protocol import (
    ASKING,
    DEADLINE,
    TASK,
    TRY,
    Abandoned,
    Capabilities,
    Message,
    Model,
    ModelError,
    ModelRequest,
    OutOfBudget,
    OutOfTime,
    Reply,
    ReplyMode,
    RetriesExhausted,
    Tool,
    ToolCall,
    object_schema,
)
from agent.model.scripted_model import ScriptedModel
from agent.model.wrapped_models import CachedModel, PricedModel, Prices, RoleModels, public_price
