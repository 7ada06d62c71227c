"""The ways out of the process are few and named, and each goes past the egress or has a reason not to."""

import ast

import pytest

from tests.support.rooms import ROOMS as EVERY
from tests.support.rooms import ROOT

ROOMS = sorted({*EVERY} - {"serve"})
"""All but the one that serves: it waits for connections, and the audit watches those that it opens."""

NETWORK = {
    "aiohttp", "ftplib", "grpc", "http", "httpcore", "httpx", "httpx2", "langgraph_sdk", "langsmith", "openai", "requests",
    "smtplib", "socket", "ssl", "telnetlib", "urllib.request", "urllib3", "websockets", "xmlrpc",
}  # fmt: skip

WAYS = {
    "guard/transports.py": "the guarded transports: every request to a public model or machine goes through them",
    "guard/connections.py": "keeps the connections that the guarded transports open",
    "models/public.py": "builds clients on the guarded transports, and re-seats ready-made models on them",
    "models/private.py": "the private LLM: it may see the raw text, takes no proxy and follows no redirect",
    "guard/tracing.py": "the tracer of the public side: every record is checked before it is queued",
    "guard/quiet.py": "switches tracing off",
    "graph/remote.py": "the public machine, over the guarded transports",
    "evals/audit/servers.py": "servers on loopback, which only listen",
    "evals/audit/gateway.py": "a client of the gateway on loopback, made-up texts",
    "evals/audit/proofs.py": "tries to send values past the guarded transport, to loopback",
    "evals/audit/wiretap.py": "listens to the sockets of an app under audit, and opens none",
    "evals/bench/server.py": "a model on loopback, which only listens",
    "evals/bench/load.py": "clients of a gateway on loopback, or of the one that the user names, made-up letters",
    "evals/bench/gateway.py": "a client of the gateway on loopback, made-up letters",
    "evals/datasets/fetch.py": "gets the papers' published files when it is asked to, and sends nothing",
}


def imports(tree: ast.AST):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def opens_network(name: str) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:n]) in NETWORK for n in range(1, len(parts) + 1))


@pytest.mark.slow
def test_network_libraries_are_imported_in_the_named_places_only():
    found = set()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            place = path.relative_to(ROOT).as_posix()
            if any(map(opens_network, imports(ast.parse(path.read_text("utf-8"))))):
                found.add(place)
    assert found == set(WAYS)


def test_every_guarded_transport_checks_before_it_sends():
    tree = ast.parse((ROOT / "guard/transports.py").read_text("utf-8"))
    for name in ("handle_request", "handle_async_request"):
        (method,) = [
            n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name == name
        ]
        calls = [(node.lineno, ast.unparse(node.func)) for node in ast.walk(method) if isinstance(node, ast.Call)]
        check = min(line for line, called in calls if called == "check_egress")
        sends = [line for line, called in calls if called.endswith((".handle_request", ".handle_async_request"))]
        assert sends and all(check < line for line in sends)


def test_the_public_half_makes_no_client_of_its_own():
    """httpx clients of the public half are given a guarded transport, each and every one."""
    for place in ("models/public.py", "graph/remote.py"):
        for node in ast.walk(ast.parse((ROOT / place).read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("httpx.Client", "httpx.AsyncClient"):
                given = {keyword.arg: ast.unparse(keyword.value).lower() for keyword in node.keywords}
                assert "guarded" in given.get("transport", ""), f"{place}:{node.lineno}"
