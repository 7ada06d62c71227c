"""The gate: keys, limits, sizes, hosts, origins, TLS, health, the log, and the end of the server."""

import asyncio
import datetime
import json
import os
import signal
import ssl
import subprocess
import sys
import threading
import time

import httpx
import pytest

from tests.support import serving
from tests.support import upstream as up
from tests.support.ports import free_port

NAME = "Thessaly Quornbeck"
CHAT = {"model": "m", "messages": [{"role": "user", "content": f"I am {NAME}."}]}

pytestmark = pytest.mark.usefixtures("few_names")


@pytest.fixture
def keys(tmp_path):
    file = tmp_path / "keys.toml"
    file.write_text(
        '[keys.alice]\nkey = "alice-has-a-long-key"\n[keys.bob]\nkey = "bob-has-another-one"\nrequests_per_minute = 2\n'
    )
    return file


def test_keys_and_whose_key_goes_on(upstream, keys):
    with serving.serving(upstream=upstream.url, keys=keys, upstream_key="sk-operators") as server:
        with httpx.Client(base_url=server.url) as client:
            refused = client.post("/v1/chat/completions", json=CHAT, headers={"authorization": "Bearer sk-unknown"})
            assert refused.status_code == 401 and refused.json()["error"]["type"] == "authentication_error"
            assert client.post("/v1/messages", json=CHAT).json()["type"] == "error"
            assert client.post("/identify", json={"text": "x"}).json()["code"] == "key_missing"
            for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/"):
                assert client.get(path).status_code == 200
            mine = {"authorization": "Bearer alice-has-a-long-key"}
            assert client.post("/v1/chat/completions", json=CHAT, headers=mine).status_code == 200
            both = {"x-gama-key": "alice-has-a-long-key", "authorization": "Bearer sk-own"}
            assert client.post("/v1/chat/completions", json=CHAT, headers=both).status_code == 200
    one, two = upstream.record
    assert b"Bearer sk-operators" in one and b"Bearer sk-own" in two and b"alice" not in one + two
    assert [entry["key"] for entry in server.log][-2:] == ["alice", "alice"]


def test_limits_of_a_key(upstream, keys):
    with serving.serving(upstream=upstream.url, keys=keys) as server:
        with httpx.Client(base_url=server.url, headers={"authorization": "Bearer bob-has-another-one"}) as client:
            answers = [client.post("/v1/chat/completions", json=CHAT) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["retry-after"]) > 0 and answers[2].json()["error"]["type"] == "rate_limit_error"


def test_requests_at_once(upstream):
    gate = threading.Event()

    def held(path, request):
        gate.wait(30)
        return up.chat("fine")

    upstream.answer = held
    with (
        serving.serving(upstream=upstream.url, most_requests=1) as server,
        httpx.Client(base_url=server.url, timeout=60) as client,
    ):
        first = threading.Thread(target=client.post, args=("/v1/chat/completions",), kwargs={"json": CHAT})
        first.start()
        while not upstream.record:
            time.sleep(0.01)
        full = client.post("/v1/chat/completions", json=CHAT)
        gate.set()
        first.join()
    assert full.status_code == 503 and full.json()["error"]["code"] == "overloaded" and "retry-after" in full.headers


def test_long_bodies(upstream):
    with (
        serving.serving(upstream=upstream.url, max_body_mb=0.01) as server,
        httpx.Client(base_url=server.url) as client,
    ):
        long = json.dumps(CHAT | {"x": "y" * 20_000}).encode()
        kind = {"content-type": "application/json"}
        assert client.post("/v1/chat/completions", content=long, headers=kind).status_code == 413
        for path in ("/v1/chat/completions", "/gama/invoke"):
            answer = client.post(path, content=iter([long[:5000], long[5000:]]), headers=kind)
            assert answer.status_code == 413, path
        text = client.post("/v1/chat/completions", content=json.dumps(CHAT), headers={"content-type": "text/plain"})
        assert text.status_code == 415
    assert upstream.record == []


def test_hosts_and_origins(upstream):
    with serving.serving(upstream=upstream.url) as server, httpx.Client(base_url=server.url) as client:
        assert client.get("/healthz", headers={"host": "evil.example"}).status_code == 400
        asked = {
            "origin": "https://app.example",
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type",
        }
        closed = client.options("/v1/chat/completions", headers=asked)
        assert "access-control-allow-origin" not in closed.headers and closed.status_code == 405
        assert "access-control-allow-origin" not in client.get("/healthz", headers=asked).headers
    with (
        serving.serving(upstream=upstream.url, cors=("https://app.example",)) as server,
        httpx.Client(base_url=server.url) as client,
    ):
        opened = client.options("/v1/chat/completions", headers=asked)
        assert opened.headers["access-control-allow-origin"] == "https://app.example"
        other = client.options("/v1/chat/completions", headers=asked | {"origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


def test_a_page_is_served_if_it_is_there(tmp_path):
    from starlette.testclient import TestClient

    from gama.serve.app import create_app
    from gama.serve.http.settings import ServerSettings

    (tmp_path / "index.html").write_text("<h1>page</h1>")
    (tmp_path / "page.js").write_text("1")
    app = create_app(ServerSettings(hosts=("testserver",), keep=False), page=tmp_path)
    with TestClient(app) as client:
        assert client.get("/").text == "<h1>page</h1>" and client.get("/page.js").status_code == 200
        assert client.get("/healthz").json() == {"status": "ok"} and client.get("/nothing").status_code == 404
    with TestClient(create_app(ServerSettings(hosts=("testserver",), keep=False), page=tmp_path / "none")) as client:
        assert client.get("/").json()["gateway"] == "/v1"


def test_a_fault_of_the_program_is_told_by_its_class_alone(upstream, monkeypatch, capfd):
    from gama.serve.gateway.masking import Masker

    def broken(*args):
        raise ZeroDivisionError(NAME)

    monkeypatch.setattr(Masker, "mask", broken)
    with serving.serving(upstream=upstream.url) as server, httpx.Client(base_url=server.url) as client:
        answer = client.post("/v1/chat/completions", json=CHAT)
    assert answer.status_code == 500 and "ZeroDivisionError" in answer.text and NAME not in answer.text
    out, err = capfd.readouterr()
    assert NAME not in out + err and server.log[-1]["status"] == 500


async def test_a_client_that_goes_ends_the_call_upstream(upstream):
    upstream.answer = lambda path, request: up.events(up.deltas(up.text_deltas("slow " * 400)), pause=0.02)
    with serving.serving(upstream=upstream.url) as server:
        async with httpx.AsyncClient(base_url=server.url) as client:
            async with client.stream("POST", "/v1/chat/completions", json=CHAT | {"stream": True}) as answer:
                async for _ in answer.aiter_bytes():
                    break
        assert await asyncio.to_thread(upstream.gone.wait, 20)
        while len(server.log) < 1:
            await asyncio.sleep(0.01)
        assert server.server.metrics.running._value.get() == 0


def certificate(folder):
    """Make a certificate for this machine."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )


@pytest.mark.slow
def test_the_command_serves_over_tls_and_finishes_what_runs_when_it_is_stopped(upstream, tmp_path):
    certificate(tmp_path)
    port = free_port()
    gate = threading.Event()

    def held(path, request):
        gate.wait(600)
        return up.events(up.deltas(up.text_deltas("Dear <name-1>.")), pause=0.05)

    upstream.answer = held
    command = [sys.executable, "-m", "gama.serve", "serve", "--port", str(port), "--upstream", upstream.url, "--deny", NAME,
               "--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem")]  # fmt: skip
    log = (tmp_path / "server.log").open("wb")
    process = subprocess.Popen(command, stderr=log, stdout=log, env=os.environ | {"GAMA_HOME": str(tmp_path / "home")})
    trust = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    try:
        with httpx.Client(base_url=f"https://localhost:{port}", verify=trust, timeout=120) as client:
            for _ in range(600):
                try:
                    if client.get("/readyz").status_code == 200:
                        break
                except httpx.TransportError:
                    assert process.poll() is None, (tmp_path / "server.log").read_text()
                time.sleep(0.2)
            got: list[str] = []

            def ask() -> None:
                with client.stream("POST", "/v1/chat/completions", json=CHAT | {"stream": True}) as answer:
                    got.extend(answer.iter_text())

            asking = threading.Thread(target=ask)
            asking.start()
            while not upstream.record:
                time.sleep(0.05)
            process.send_signal(signal.SIGTERM)
            time.sleep(1)
            gate.set()
            asking.join(60)
        assert process.wait(60) == 0 or process.returncode == -signal.SIGTERM
    finally:
        gate.set()
        process.kill()
        process.wait()
        log.close()
    text = "".join(got)
    assert text.rstrip().endswith("data: [DONE]") and "<" not in text
    lines = (tmp_path / "server.log").read_text()
    assert "gama serves on https://" in lines and NAME not in lines and "Traceback" not in lines


def test_what_the_command_refuses(capsys, tmp_path):
    from gama.serve.cli import run

    for arguments, told in (
        (["--host", "0.0.0.0"], "API keys"),
        (["--tls-cert", "x.pem"], "--tls-key"),
        (["--upstream", "example"], "no address"),
        (["--gateway", "other"], "gateway"),
        (["--keys", str(tmp_path / "none.toml")], "key file"),
    ):
        assert run(["serve", *arguments]) == 2
        assert told in capsys.readouterr().err
