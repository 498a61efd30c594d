"""What is measured: each benchmark's two sides, and four figures that are no ratio of two loops."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import count
from statistics import median
from time import perf_counter

import episodes
import httpx
import respx
from journal import journal
from plugin_cost import plugin_ms
from run import Benchmark

from faultlab.matrix.run import BATCH

BODY = {"id": "or_3f1d2c9a8b7e", "customer": "C5", "item": "mug", "quantity": 1, "reference": None}
ARGS = {"customer": "C5", "item": "mug", "quantity": 1}
PATH = "/tools/place_order"

Call = Callable[[], object]


def mock_client() -> httpx.Client:
    """The baseline of PERF: a static answer behind httpx.MockTransport."""
    return httpx.Client(
        transport=httpx.MockTransport(lambda request: httpx.Response(200, json=BODY)), base_url=episodes.BASE_URL
    )


def unkeyed() -> tuple[Call, Call]:
    lab, mock = episodes.lab_client("none"), mock_client()
    return (lambda: lab.post(PATH, json=ARGS)), (lambda: mock.post(PATH, json=ARGS))


def keyed() -> tuple[Call, Call]:
    lab, mock, numbers = episodes.lab_client("strict"), mock_client(), count()

    def with_key(client: httpx.Client) -> Call:
        return lambda: client.post(PATH, json=ARGS, headers={"Idempotency-Key": f"k-{next(numbers)}"})

    return with_key(lab), with_key(mock)


def faulty() -> tuple[Call, Call]:
    """A lost receipt: cheaper than a call that is answered, so it is reported apart."""
    lab, mock = episodes.losing_client(), mock_client()

    def lost() -> None:
        try:
            lab.post(PATH, json=ARGS)
        except httpx.ReadTimeout:
            return
        raise AssertionError("the receipt was not lost")

    return lost, (lambda: mock.post(PATH, json=ARGS))


def _side_effect(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json=BODY)


def respx_side_effect() -> tuple[Call, Call]:
    router = respx.Router()
    router.post(episodes.BASE_URL + PATH).mock(side_effect=_side_effect)
    mock = httpx.Client(transport=httpx.MockTransport(router.handler), base_url=episodes.BASE_URL)
    return unkeyed()[0], (lambda: _cleared(router, mock))


def respx_patched() -> tuple[Call, Call]:
    lab = episodes.lab_client("none")
    plain = httpx.Client(base_url=episodes.BASE_URL)
    router = respx.MockRouter(assert_all_called=False)
    router.post(episodes.BASE_URL + PATH).mock(side_effect=_side_effect)

    def patched() -> None:
        with router:
            for _ in range(20):
                plain.post(PATH, json=ARGS)

    return (lambda: [lab.post(PATH, json=ARGS) for _ in range(20)]), patched


def _cleared(router: respx.Router, client: httpx.Client) -> None:
    """Without a reset the router keeps every call it saw; that memory is not what is measured."""
    client.post(PATH, json=ARGS)
    router.calls.reset()


def five_raw_calls() -> Call:
    """The requests of an episode, each answered at once."""
    mock = mock_client()

    def run() -> None:
        for path, body, headers in episodes.REQUESTS:
            mock.post(path, json=body, headers=headers)

    return run


def help_s() -> Mapping[str, object]:
    """Median wall time of `faultlab --help`, in seconds."""
    spent = []
    for _ in range(11):
        began = perf_counter()
        subprocess.run([sys.executable, "-m", "faultlab", "--help"], check=True, capture_output=True)
        spent.append(perf_counter() - began)
    return {"ratio": round(median(spent), 3), "target": 0.3, "holds": median(spent) <= 0.3, "baseline": "seconds"}


BENCHMARKS = (
    Benchmark("unkeyed_call", "httpx.MockTransport", 1.1, unkeyed),
    Benchmark("keyed_write", "httpx.MockTransport, same headers", 1.2, keyed),
    Benchmark("lost_receipt", "httpx.MockTransport", 1.1, faulty),
    Benchmark("respx_side_effect", "respx.Router with side_effect", 1.0, respx_side_effect),
    Benchmark("respx_patched", "respx.mock patched, side_effect", 1.0, respx_patched, 10),
    Benchmark(
        "episode_httpx", "five MockTransport calls", 1.25, lambda: (episodes.over_httpx(), five_raw_calls()), BATCH
    ),
    Benchmark("episode_direct", "five MockTransport calls", 0.25, lambda: (episodes.direct(), five_raw_calls()), BATCH),
    Benchmark(
        "episode_async", "five MockTransport calls", 1.6, lambda: (episodes.over_async_httpx(), five_raw_calls()), BATCH
    ),
    Benchmark(
        "against_agentproof",
        "agentproof-sim, same calls",
        1.0,
        lambda: (episodes.direct(), episodes.agentproof()),
        BATCH,
    ),
    Benchmark(
        "against_agentprobe",
        "agentprobe-testing, same calls",
        1.0,
        lambda: (episodes.direct(), episodes.agentprobe()),
        BATCH,
    ),
)

SINGLES: Mapping[str, Callable[[], Mapping[str, object]]] = {
    "two_processes": episodes.two_processes,
    "memory": episodes.memory,
    "help": help_s,
    "journal": journal,
    "plugin": plugin_ms,
}
