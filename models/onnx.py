"""onnxruntime without its telemetry.

From 1.31 on its Linux builds report to a collector of their maker's over the network when they are imported and used,
and keep a device id in the user's cache folder. Nothing of a text is in these reports; GAMA promises that nothing goes
out but what crosses the airlock, so they are off before the library is loaded, whatever the environment says.
"""

import os
from pathlib import Path
from typing import Any

SWITCH = "ORT_DISABLE_TELEMETRY"
"""The variable that onnxruntime reads when it is imported."""


def silence_onnxruntime() -> None:
    """Switch the reports off for this process and those it starts; call it before anything imports onnxruntime."""
    os.environ[SWITCH] = "1"


def quiet_onnxruntime() -> Any:
    """Import onnxruntime with its reports off, also where somebody has imported it before."""
    silence_onnxruntime()
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime


def cpu_session(file: Path) -> Any:
    """Load a model to be run on the processor.

    Raises:
        Exception: onnxruntime's own, where there is no such file or it is no model.
    """
    onnxruntime = quiet_onnxruntime()
    options = onnxruntime.SessionOptions()
    # Four threads at most: more gain nothing on windows this short, and servers run several at once.
    options.intra_op_num_threads = min(4, os.cpu_count() or 1)
    # Where several texts are read at once, a thread that spins takes the core from one that works.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
