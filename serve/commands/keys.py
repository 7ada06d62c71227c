"""`gama keys`: the master key: where it lies, which one seals, and how it is changed."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gama.serve import choices

if TYPE_CHECKING:
    from gama.vault.keys.threads import ThreadKeys

keys = typer.Typer(help="Show, rotate, retire and move the master key, which wraps the keys of all conversations.")
Boxes = Annotated[list[Path] | None, typer.Argument(help="Box files to seal anew as well.", metavar="[BOX]...")]


@keys.command()
def show(as_json: choices.Json = False, home: choices.Home = None) -> None:
    """Tell where the master key lies, which keys there are, and how many conversations each protects."""
    held = _keys(home)
    assert held.source is not None
    ring = held.source.read()
    counts = held.wrapped_by()
    ids = list(ring.ids) if ring else []
    if as_json:
        print(json.dumps({"source": held.source.spec, "keys": ids, "store": held.store.place, "wrapped": counts}))
        return
    print(f"master key:  {held.source.name}")
    print(f"thread keys: {held.store.place}")
    for number, name in enumerate(ids):
        print(f"  {name}  {'seals and opens' if number == 0 else 'opens only'}; wraps {counts.pop(name, 0)} key(s)")
    for name, count in counts.items():
        known = name == "?"
        print(f"  {name}  {'not noted by an early version' if known else 'NOT HERE'}; wraps {count} key(s)")
    if not ids:
        print("  none yet: it is made when something is sealed")


@keys.command()
def rotate(home: choices.Home = None) -> None:
    """Make a new master key: it seals from now on, the old ones still open."""
    held = _keys(home)
    name = held.rotate()
    print(f"new master key: {name}")
    print(f"old, open only: {', '.join(held.ring().ids[1:])}")
    print("next: `gama keys reseal`, then `gama keys retire`")


@keys.command()
def reseal(boxes: Boxes = None, home: choices.Home = None) -> None:
    """Wrap the keys of all conversations by the newest master key, and seal the box files that are named anew."""
    from gama.guard.terminal import say
    from gama.privacy.box import PrivacyBox
    from gama.state.errors import SealError

    held = _keys(home)
    # All are opened before one is written.
    opened = [(path, PrivacyBox.load(path, home=home)) for path in boxes or ()]
    outcome = held.reseal()
    print(f"wrapped by {held.ring().current}: {outcome.wrapped} key(s)")
    for path, box in opened:
        if "sealed" in json.loads(path.read_text(encoding="utf-8")):
            box.save(path, home=home)
            print(f"sealed anew: {path}")
        else:
            say(f"note: {path} is in clear; it was left as it is")
    if outcome.closed:
        raise SealError(f"{outcome.closed} key(s) are wrapped by a master key that is not here; they were left as is.")


@keys.command()
def retire(
    yes: Annotated[bool, typer.Option("--yes", help="Do it: what only the old keys open is lost for good.")] = False,
    home: choices.Home = None,
) -> None:
    """Destroy the old master keys, once nothing needs them; copies of what they wrapped become unreadable with them."""
    from gama.state.errors import OptionError

    held = _keys(home)
    old = held.ring().ids[1:]
    if not old:
        print("there is no old master key")
        return
    if not yes:
        raise OptionError(
            f"option --yes: the master key(s) {', '.join(old)} will be destroyed. Box files sealed with them, and "
            "other home folders with this source, cannot be opened afterwards: first `gama keys reseal BOX`"
        )
    print(f"destroyed: {', '.join(held.retire())}")


@keys.command()
def move(
    source: Annotated[str, typer.Argument(help="keyring[:NAME] or file[:PATH].")], home: choices.Home = None
) -> None:
    """Move the master key to another place: the OS keyring, or a file."""
    import os

    from gama.guard.terminal import say
    from gama.vault.keys.sources import move as move_key
    from gama.vault.seal import default_home

    old, new = move_key(home or default_home(), source)
    print(f"moved: from {old.name} to {new.name}")
    if os.environ.get("GAMA_KEY_SOURCE"):
        say(f"note: GAMA_KEY_SOURCE is set; set it to {new.spec}, or unset it")
    elif os.environ.get("GAMA_KEY"):
        say("note: GAMA_KEY is still set and goes first; unset it")


def _keys(home: Path | None) -> "ThreadKeys":
    from gama.vault.seal import Vault, default_home

    return Vault.at(home or default_home()).keys
