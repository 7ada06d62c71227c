"""`gama serve`: the HTTP API and the gateway."""

from collections.abc import Sequence
from importlib.util import find_spec

from gama.serve import choices
from gama.serve.http.settings import ServerSettings
from gama.serve.ports import check_free
from gama.state.errors import OptionError
from gama.state.options import Options

FORMER = {"--keep-type": "--keep", "--no-keep": "--no-store-threads"}
"""Flags by the names they had when `--keep` was about threads, and their present ones."""


@choices.with_options("serve")
def serve(options: Options, settings: ServerSettings) -> None:
    """Serve the HTTP API, and a gateway that OpenAI's and Anthropic's clients talk to by `base_url`.

    See docs/server.md and docs/gateway.md.
    """
    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "prometheus_client")):
        raise OptionError("serving needs more packages: pip install 'gama-privacy[serve]'")
    from gama.models.names import check_public_name
    from gama.serve.run_server import run

    check_public_name(options.public_model, options.public_base_url)
    check_free(settings.host, settings.port)

    run(settings, options)


def by_present_names(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of the command with its flags by their present names.

    Raises:
        OptionError: they keep threads by `--keep`, which names a type now, as elsewhere.
    """
    out = []
    for place, argument in enumerate(arguments):
        following = arguments[place + 1 : place + 2]
        if argument == "--keep" and (not following or following[0].startswith("-")):
            raise OptionError(
                "option --keep: name a type that stays in clear, such as --keep age; threads are stored by "
                "--store-threads, the default"
            )
        name, sign, value = argument.partition("=")
        out.append(FORMER.get(name, name) + sign + value)
    return out
