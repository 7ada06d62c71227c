"""An independent suite, pii-leak-benchmark, against the gateway.

It marks its requests with five nouns joined by hyphens and must find them at the upstream. The shipped tagger takes
such a word for a passphrase and hides it, so that the suite could tell nothing: here the patterns find alone what the
suite plants.
"""

import subprocess
import sys

import pytest

from tests.support import serving
from tests.support.ports import free_port

RUN = "import sys; from pii_leak_benchmark.cli import main; sys.exit(main())"


@pytest.mark.slow
def test_the_suite_reports_the_gateway_clean(tmp_path, few_names):
    port = free_port()
    with serving.serving(upstream=f"http://127.0.0.1:{port}/v1") as server:
        arguments = ["selfcheck", "--target-base-url", server.v1, "--capture-port", str(port), "--iterations", "5"]
        done = subprocess.run(
            [sys.executable, "-c", RUN, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0 and "CLEAN" in done.stdout, done.stdout + done.stderr
