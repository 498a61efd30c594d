"""client: OpenTelemetry spans by the semantic conventions for generative AI (opentelemetry.io, "Execute tool span").

One span an operation call: `execute_tool NAME`. Arguments but the identity, results
and the texts of errors are left out: they may hold secrets.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from faultlab.client.logs import shown
from faultlab.client.result import Result
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.errors import BadInput
from faultlab.core.records import Outcome
from faultlab.records.journal_rows import OperationRow

Told = Callable[[Result], Result]
Spans = Callable[[ToolSpec, OperationRow], AbstractContextManager[Told]]


def _as_it_is(result: Result) -> Result:
    return result


def no_spans(spec: ToolSpec, row: OperationRow) -> AbstractContextManager[Told]:
    """Nothing is traced."""
    return nullcontext(_as_it_is)


def spans_of() -> Spans:
    """Spans of the global tracer. BadInput: OpenTelemetry is not installed."""
    try:
        from opentelemetry import trace
    except ModuleNotFoundError as error:
        raise BadInput("spans=True needs OpenTelemetry: pip install 'faultlab[otel]'") from error
    tracer = trace.get_tracer("faultlab.client")

    @contextmanager
    def spans(spec: ToolSpec, row: OperationRow) -> Iterator[Told]:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": spec.name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": row.id,
            "faultlab.run": row.run,
        }
        name = f"execute_tool {spec.name}"
        with tracer.start_as_current_span(
            name, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:

            def told(result: Result) -> Result:
                span.set_attribute("faultlab.operation", shown(result.operation))
                span.set_attribute("faultlab.outcome", result.outcome.value)
                span.set_attribute("faultlab.calls", len(result.evidence))
                if result.outcome is not Outcome.APPLIED:
                    span.set_attribute("error.type", result.status)
                    span.set_status(trace.StatusCode.ERROR, result.status)
                return result

            try:
                yield told
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(trace.StatusCode.ERROR, type(error).__name__)
                raise

    return spans
