"""Models: the protocol, scripted replies, a cache of replies."""

from agent.model.model_protocol import (
    ASIDE_ROLES,
    ASK_ASIDE,
    ASKING,
    BENCHMARK_ROLES,
    DEADLINE,
    REVIEWER,
    TASK,
    TRY,
    Abandoned,
    BenchmarkModel,
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
    request_key,
)
from agent.model.scripted_model import ScriptedModel
from agent.model.wrapped_models import CachedModel, PricedModel, Prices, RoleModels, public_price
