"""An independent suite, pii-leak-benchmark, against the gateway; docs/evaluation.md explains its figures.

Its first profile marks its requests with five nouns joined by hyphens, drawn anew for each run, and must find most of
them at the upstream. The shipped tagger takes such a word for a passphrase in most runs and hides it, and then the suite
can tell nothing: here the marker is one that the gateway was told of. The second profile needs none.
"""

import json
import subprocess
import sys

import pytest

from gama import Options
from tests.support import serving
from tests.support.ports import free_port

MARKER = "rung-saddle-sandal-satchel-scaffold"
RUN = (
    "import sys; from pii_leak_benchmark import cli, http_profile; "
    f"http_profile._make_nonce = lambda: {MARKER!r}; sys.exit(cli.main())"
)
SECOND = "import sys; from pii_leak_benchmark.v2_cli import main; sys.exit(main())"
SEED = "a1b2c3d4e5f60001"
SHIPPED = Options(allow=(MARKER,))

pytestmark = pytest.mark.slow


def suite(folder, code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)


def first(folder, target, port):
    """Run the first profile; gives what was done, and its report."""
    arguments = ("selfcheck", "--target-base-url", target, "--capture-port", port, "--iterations", 5)
    done = suite(folder, RUN, *arguments, "--json-out", folder / "report.json")
    return done, json.loads((folder / "report.json").read_text())


def second(folder, name, *arguments):
    """Run the second profile; gives the row of its summary, and the report."""
    out = folder / "second"
    done = suite(folder, SECOND, "--out", out, "--only", name, "--seed", SEED, "--json-out", out / "all", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    [row] = json.loads((out / "all").read_text())["rows"]
    return row, json.loads((out / row["report"]).read_text())


@pytest.mark.parametrize("tagger", ["shipped", "patterns alone"])
def test_the_first_profile_finds_nothing_at_the_upstream_and_everything_restored(tmp_path, request, tagger):
    if tagger != "shipped":
        request.getfixturevalue("few_names")
    port = free_port()
    with serving.serving(SHIPPED, upstream=f"http://127.0.0.1:{port}/v1") as server:
        done, report = first(tmp_path, server.v1, port)
    assert done.returncode == 0 and "CLEAN" in done.stdout, done.stdout + done.stderr
    assert done.stdout.count(" contained ") == 6
    boundary = report["checks"]["configured_upstream_boundary"]
    assert boundary["leaked_entity_types"] == [] and boundary["correlated_requests"] == 5
    assert all(check["passed"] for check in report["checks"].values())


def test_without_a_gateway_the_first_profile_finds_everything(tmp_path):
    done, report = first(tmp_path, "capture://self", free_port())
    assert done.returncode == 1 and "  LEAK\n" in done.stdout, done.stdout + done.stderr
    assert len(report["checks"]["configured_upstream_boundary"]["leaked_entity_types"]) == 6


def test_the_second_profile_gets_back_what_was_sent_and_sees_what_the_model_made_up(tmp_path):
    port = free_port()
    with serving.serving(SHIPPED, upstream=f"http://127.0.0.1:{port}/v1") as server:
        gateway = ("--gateway-url", f"{server.v1}/chat/completions", "--upstream-port", port)
        row, report = second(tmp_path, "gama", *gateway)
    assert row["cases_attempted"] == row["cases_applicable"] == row["echo_observable"] == 32
    assert row["fidelity_rate"] == 1.0 and row["request_path_leak"] == []
    boundary = report["checks"]["configured_upstream_boundary"]
    assert boundary["passed"] and boundary["captured_requests"] >= 32, "nothing of it was in clear: it was restored"
    # What the model says of its own passes, whole or cut: it is no value of the user's.
    assert row["leak_single_chunk"] == row["leak_adversarial"] == 1.0 and row["delta_frag"] == 0.0


@pytest.mark.parametrize(
    ("policy", "figures"), [("passthrough", (0.0, 1.0, 1.0)), ("retention-plus-decoding", (1.0, 0.0, 0.0))]
)
def test_the_second_profile_knows_its_own_policies(tmp_path, policy, figures):
    row, _ = second(tmp_path, policy)
    assert (row["fidelity_rate"], row["leak_single_chunk"], row["leak_adversarial"]) == figures
