"""Getting the published files from their homes, on wish (`gama eval fetch`)."""

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from gama.evals.datasets.source import SOURCES, digest
from gama.state.errors import GamaError, InputError, OptionError

CHUNK = 1 << 16


def fetch(
    names: Sequence[str],
    folder: Path,
    told: Callable[[str], None],
    *,
    homes: Callable[[str], str] | None = None,
    timeout_s: float = 60.0,
) -> list[Path]:
    """Fetch data sets into a folder; a file that is there and right is left as it is.

    Args:
        names: of the data sets.
        folder: where the files go.
        told: told a line for each file.
        homes: gives the address of a data set in the place of its home, for a mirror.
        timeout_s: seconds to wait for the server.

    Raises:
        OptionError: a data set has no home that can be fetched from.
        InputError: a file cannot be had, or is not the published one; nothing is kept of it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    got = []
    for name in names:
        source = SOURCES[name]
        target = folder / source.file
        home = homes(name) if homes else source.home
        if not home:
            raise OptionError(
                f"data set {name!r} has no address to fetch it from: get {source.file!r} from its authors"
            )
        if target.exists() and source.sha256 and digest(target) == source.sha256:
            told(f"{name}: {target} is there")
        else:
            size = _download(name, home, target, timeout_s)
            told(f"{name}: {target}, {size:,} bytes, licence: {source.licence}")
            if source.sha256 and digest(target) != source.sha256:
                told(f"note: {name}: not the content that this version of GAMA was checked with")
        got.append(target)
    return got


def _download(name: str, home: str, target: Path, timeout_s: float) -> int:
    import httpx

    wanted = SOURCES[name].sha256
    part = target.with_name(f"{target.name}.part")
    found, size = hashlib.sha256(), 0
    try:
        with (
            httpx.Client(follow_redirects=True, timeout=timeout_s) as client,
            client.stream("GET", home) as reply,
            part.open("wb") as out,
        ):
            reply.raise_for_status()
            for chunk in reply.iter_bytes(CHUNK):
                found.update(chunk)
                size += len(chunk)
                out.write(chunk)
        if SOURCES[name].fixed and found.hexdigest() != wanted:
            raise InputError(
                f"data set {name!r}: what {home} gave is not the published file (SHA-256 {found.hexdigest()[:12]}…, "
                f"wanted {wanted[:12]}…); nothing was kept"
            )
        os.replace(part, target)
    except httpx.HTTPError as error:
        why = (
            f"status {error.response.status_code}" if isinstance(error, httpx.HTTPStatusError) else type(error).__name__
        )
        raise InputError(f"data set {name!r} cannot be fetched from {home}: {why}") from None
    except OSError as error:
        raise GamaError(f"data set {name!r} cannot be written to {target}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    return size
