"""onnxruntime without its telemetry.

From 1.31 on its Linux builds report to a collector of their maker's over the network when they are imported and used,
and keep a device id in the user's cache folder. Nothing of a text is in these reports; GAMA promises that nothing goes
out but what crosses the airlock, so they are off before the library is loaded, whatever the environment says.
"""

import os
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
