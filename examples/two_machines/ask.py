"""Ask about a text from the private machine; the public graph runs on another one.

python ask.py http://PUBLIC-MACHINE:2024 letter.txt
"""

import sys
from pathlib import Path

from gama import Gama, Options


def main(address: str, file: str) -> None:
    """Print what left this machine, and the restored answer."""
    gama = Gama(Options(public_graph=address), keep=False)
    reply = gama.invoke({"question": Path(file).read_text(encoding="utf-8")})
    print("What left:\n" + reply["anonymized"])
    print("\nAnswer:\n" + reply["answer"])


if __name__ == "__main__":
    main(*sys.argv[1:])
