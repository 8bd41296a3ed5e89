"""What crosses between scripts, the sandbox and its users: declared operations, results, limits."""

from sandbox.interface import error_codes as error_codes
from sandbox.interface.arguments import bound_arguments as bound_arguments
from sandbox.interface.arguments import signature as signature
from sandbox.interface.call_results import guarded as guarded
from sandbox.interface.call_results import plain_result as plain_result
from sandbox.interface.file_operations import FILE_OPERATIONS as FILE_OPERATIONS
from sandbox.interface.opening_calls import EachOf as EachOf
from sandbox.interface.opening_calls import NamedFiles as NamedFiles
from sandbox.interface.opening_calls import OpeningCall as OpeningCall
from sandbox.interface.operation_json import operation_data as operation_data
from sandbox.interface.operation_json import operation_of as operation_of
from sandbox.interface.operations import CallError as CallError
from sandbox.interface.operations import Effect as Effect
from sandbox.interface.operations import Operation as Operation
from sandbox.interface.operations import Parameter as Parameter
from sandbox.interface.operations import Plain as Plain
from sandbox.interface.operations import ResultField as ResultField
from sandbox.interface.script_objects import Tree as Tree
from sandbox.interface.surface import Executable as Executable
from sandbox.interface.surface import ExecutableKind as ExecutableKind
from sandbox.interface.surface import FileArguments as FileArguments
from sandbox.interface.surface import Surface as Surface
