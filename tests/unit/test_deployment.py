"""Dockerfile, compose, unit and settings name what there is, and keep what they promise."""

import configparser
import importlib
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from typer.main import get_command

from gama.serve.cli import SECRETS, app
from gama.serve.http.gate import OPEN
from gama.serve.http.settings import ServerSettings
from gama.state.option_table import rows
from gama.state.options import Options
from tests.support.rooms import ROOMS, ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
CLUSTER = {one["kind"]: one for one in yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text("utf-8"))}
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SETTINGS = (ROOT / ".env.example").read_text(encoding="utf-8")


def test_the_image_holds_every_room_and_nothing_else():
    copied = {
        word for line in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE) for word in line.split()
    }
    allowed = set(re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.MULTILINE))
    assert {*ROOMS, "src"} < copied == allowed and all((ROOT / name).exists() for name in copied)
    assert not {"tests", "docs", ".git", ".env"} & copied


def test_the_image_runs_as_a_user_and_asks_for_its_health():
    last = DOCKERFILE.rsplit("FROM", 1)[1]
    assert re.search(r"^USER (?!0)\d+:\d+$", last, re.MULTILINE) and "HEALTHCHECK" in last and "/readyz" in last
    assert not re.search(r"https?://(?!127\.0\.0\.1)", DOCKERFILE), "no host but the registries"
    command = re.search(r"^CMD (\[.*\])$", last, re.MULTILINE)[1]
    given = [word for word in yaml.safe_load(command) if word.startswith("--")]
    known = {option for one in get_command(app).commands["serve"].params for option in one.opts}
    assert set(given) <= known


@pytest.mark.parametrize("name", ["gama", "db"])
def test_a_service_is_hardened(name):
    service = COMPOSE["services"][name]
    assert (
        service["read_only"] and service["cap_drop"] == ["ALL"] and "no-new-privileges:true" in service["security_opt"]
    )
    for volume in service["volumes"]:
        assert volume.split(":")[0] in COMPOSE["volumes"]
    assert set(service["secrets"]) <= set(COMPOSE["secrets"])
    for variable, value in service["environment"].items():
        if str(value).startswith("/run/secrets/"):
            assert value.rpartition("/")[2] in service["secrets"], variable
        assert not re.search(r"PASSWORD$|KEY$", variable), "secrets come by file"


def test_only_this_machine_reaches_the_server_and_nobody_the_database():
    assert all(port.startswith("127.0.0.1:") for port in COMPOSE["services"]["gama"]["ports"])
    assert "ports" not in COMPOSE["services"]["db"] and COMPOSE["services"]["db"]["networks"] == ["back"]
    assert COMPOSE["networks"]["back"]["internal"]


def test_files_of_secrets_are_read_by_the_server():
    files = {name for name in COMPOSE["services"]["gama"]["environment"] if name.endswith("_FILE")}
    unit = (ROOT / "deploy" / "gama.service").read_text(encoding="utf-8")
    files |= set(re.findall(r"\b([A-Z_]+_FILE)=", unit + SETTINGS))
    assert files and {name.removesuffix("_FILE") for name in files} <= set(SECRETS)


def test_the_unit_is_hardened_and_its_command_exists():
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(ROOT / "deploy" / "gama.service")
    service = unit["Service"]
    for name in ("DynamicUser", "NoNewPrivileges", "PrivateTmp", "ProtectHome", "MemoryDenyWriteExecute"):
        assert service[name] == "yes"
    assert service["ProtectSystem"] == "strict" and service["LimitCORE"] == "0"
    words = service["ExecStart"].split()
    known = {option for one in get_command(app).commands[words[1]].params for option in one.opts}
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("version", ["1.30", "1.37"])
@pytest.mark.parametrize("kind", CLUSTER)
def test_kubernetes_takes_the_manifest(kind, version):
    import kubernetes_validate

    kubernetes_validate.validate(CLUSTER[kind], version, strict=True)


def test_a_cluster_runs_what_there_is_and_ends_it_in_time():
    template = CLUSTER["Deployment"]["spec"]["template"]
    spec, (container,) = template["spec"], template["spec"]["containers"]
    words = container["args"]
    options = {option: one for one in get_command(app).commands[words[0]].params for option in one.opts}
    assert {word for word in words if word.startswith("--")} <= set(options)
    names = {words[at + 1] for at, word in enumerate(words) if word == "--allow-host"}
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        asked = container[probe]["httpGet"]
        assert asked["path"] in OPEN and asked["httpHeaders"][0]["value"] in names, "the server would refuse its name"
    drain = float(words[words.index("--drain") + 1])
    assert drain >= 2 * container["readinessProbe"]["periodSeconds"], "a balancer that asks has noticed"
    assert spec["terminationGracePeriodSeconds"] > ServerSettings().grace_s + drain
    labels = template["metadata"]["labels"].items()
    assert CLUSTER["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"].items() <= labels
    assert CLUSTER["Service"]["spec"]["selector"].items() <= labels
    assert CLUSTER["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"].items() <= labels
    assert CLUSTER["HorizontalPodAutoscaler"]["spec"]["minReplicas"] > 1, "one may go while another answers"


def test_a_pod_is_hardened_and_gets_its_secrets_by_file():
    spec = CLUSTER["Deployment"]["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    own = container["securityContext"]
    assert own["readOnlyRootFilesystem"] and not own["allowPrivilegeEscalation"]
    assert own["capabilities"] == {"drop": ["ALL"]} and not spec["automountServiceAccountToken"]
    assert spec["securityContext"]["runAsNonRoot"] and f"USER {spec['securityContext']['runAsUser']}:" in DOCKERFILE
    assert set(container["resources"]) == {"requests", "limits"}
    settings = CLUSTER["ConfigMap"]["data"]
    files = {name: value for name, value in settings.items() if str(value).startswith("/run/secrets/")}
    assert {name.removesuffix("_FILE") for name in files} - {"GAMA_KEYS"} <= set(SECRETS)
    assert not [name for name in settings if re.search(r"PASSWORD$|KEY$", name)], "secrets come by file"
    mounted = {one["mountPath"] for one in container["volumeMounts"]}
    assert {value.rpartition("/")[0] for value in files.values()} <= mounted
    variables = {row.variable for model in (Options, ServerSettings) for row in rows(model).values()}
    assert set(settings) - set(files) <= variables | {"GAMA_THREAD_KEYS"}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_systemd_takes_the_unit(tmp_path):
    unit = (ROOT / "deploy" / "gama.service").read_text(encoding="utf-8").replace("/opt/gama/bin/gama", "/bin/true")
    (tmp_path / "gama.service").write_text(unit, encoding="utf-8")
    command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / "gama.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "gama.service" not in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("folder", "graphs", "installs"),
    [(".", {"gama", "public"}, "ADD . /deps/"), ("examples/two_machines", {"public"}, "gama-privacy\n")],
)
def test_the_platforms_tool_makes_build_files_of_the_graphs(folder, graphs, installs, tmp_path):
    pytest.importorskip("langgraph_cli")
    made = tmp_path / "Dockerfile"
    command = [sys.executable, "-m", "langgraph_cli", "dockerfile", "--config", ROOT / folder / "langgraph.json", made]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120,
        env=os.environ | {"LANGGRAPH_CLI_NO_ANALYTICS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = made.read_text(encoding="utf-8")
    named = json.loads(re.search(r"LANGSERVE_GRAPHS='(.*)'", text)[1])
    assert set(named) == graphs and installs in text and text.startswith("FROM langchain/langgraph-api:")
    for graph in named.values():
        module, name = graph["path"].split(":")
        assert hasattr(importlib.import_module(module), name)


def test_every_variable_of_the_program_stands_in_the_example():
    """Each is known to the code, and each of the server's is listed."""
    listed = set(re.findall(r"^#?([A-Z_]+)=", SETTINGS, re.MULTILINE))
    for name in (
        "GAMA_KEYS",
        "GAMA_UPSTREAM",
        "GAMA_UPSTREAM_KEY",
        "GAMA_ANTHROPIC",
        "GAMA_ANTHROPIC_KEY",
        "GAMA_MCP_TOKEN",
    ):
        assert name in listed
    code = "".join(path.read_text(encoding="utf-8") for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    known = {row.variable for model in (Options, ServerSettings) for row in rows(model).values()}
    for name in listed:
        assert name in known or f'"{name}"' in code or name.removesuffix("_FILE") in SECRETS, name


def test_the_index_leads_to_every_page_and_example():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or index.count(f"({page.name})") >= 1, page.name
    for kind in ("a developer", "a team", "a person", "a data team", "a researcher"):
        assert f"**{kind}**" in index
