"""Hashes of passwords and files."""

import re

from gama.tools.recognizers._patterns import Pattern, PatternRecognizer


def _spread(match: re.Match[str]) -> bool:
    value = match["v"]
    # All one digit, or only digits, is an identifier or padding rather than a hash.
    return len(set(value.lower())) > 6 and not value.isdigit()


def _no_commit(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 20) : match.start()].lower()
    return _spread(match) and not any(
        word in before for word in ("commit", "revision", "sha:", "git ", "tree", "merge")
    )


def password_hash_recognizer() -> PatternRecognizer:
    """Return the recognizer of hashes; file checksums look the same, so context decides on the short ones."""
    edge_left, edge_right = r"(?<![0-9A-Za-z_+/=-])", r"(?![0-9A-Za-z_+/=-])"
    return PatternRecognizer(
        "password_hash",
        (
            # SHA-256, SHA-384, SHA-512 in hex. Refuses other lengths, 0x… (a wallet or a word of code).
            Pattern(
                re.compile(rf"{edge_left}(?P<v>[0-9a-fA-F]{{128}}|[0-9a-fA-F]{{96}}|[0-9a-fA-F]{{64}}){edge_right}"),
                "password_hash", 0.95, private=1.0, check=_spread,
            ),
            # SHA-1, MD5 and NTLM. Refuses a commit named as such, short hashes, UUIDs (dashes).
            Pattern(
                re.compile(rf"{edge_left}(?P<v>[0-9a-fA-F]{{40}}|[0-9a-fA-F]{{32}}){edge_right}"),
                "password_hash", 0.75, check=_no_commit,
            ),
            # Crypt formats: $2b$12$…, $argon2id$v=19$…, $6$salt$…, {SSHA}…
            Pattern(
                re.compile(
                    r"(?P<v>\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|argon2(?:id|i"
                    r"|d)\$[\w$=,+/.-]{20,200}|[156y]\$[./A-Za-z0-9$=,]{20,200})"
                    r"|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/=]{20,120}"
                    r"|pbkdf2_sha256\$\d{1,8}\$[\w+/=]{1,60}\$[\w+/=]{20,90})"
                ),
                "password_hash", 0.99, private=1.0, needs=("$2", "$argon", "$1$", "$5$", "$6$", "$y$", "sha}",
                "sha256}", "sha512}", "pbkdf2"),
            ),
        ),
        priority=2,
    )  # fmt: skip
