"""Runs schemathesis against a server on loopback: `python -m tests.fuzz.api SCHEMATHESIS SECONDS`.

Valid and invalid requests to every route, made of what `/openapi.json` says: none may fail the server, and every answer
must be as the description says.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import gama.privacy.finders
from tests.support import serving
from tests.support import upstream as up

CHECKS = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "negative_data_rejection",
)  # fmt: skip
TOKEN = re.compile(r"<[a-z_]+-\d+[a-z]*>")


def echo(path, request):
    """Answer with every placeholder of the request."""
    text = "I used " + " and ".join(dict.fromkeys(TOKEN.findall(json.dumps(request, ensure_ascii=False)))) + "."
    return up.events(up.deltas(up.text_deltas(text, 5))) if (request or {}).get("stream") else up.chat(text)


def main(schemathesis: str, seconds: str) -> int:
    """Run it."""
    # What is tested is the server, not the detection.
    gama.privacy.finders.tagger = serving.few_names
    os.environ["GAMA_HOME"] = tempfile.mkdtemp()
    upstream = up.Upstream(echo)
    with serving.serving(upstream=upstream.url, anthropic=upstream.url, upstream_key="k", anthropic_key="k") as server:
        command = [schemathesis, "run", f"{server.url}/openapi.json", "--checks", ",".join(CHECKS)]
        command += [
            "--mode",
            "all",
            "--continue-on-failure",
            "--request-timeout",
            "60",
            "--phases",
            "examples,coverage,fuzzing",
        ]
        command += ["--max-examples", str(max(3, int(seconds) // 3))]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
