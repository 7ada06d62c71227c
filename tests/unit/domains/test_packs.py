"""Domain packs: from a folder, a YAML file or a plugin; into the rules; and what is wrong with others."""

import pytest

from gama.models.shipped import word_vectors
from gama.state.errors import OptionError
from gama.tools.contract import domain_plugin
from gama.tools.domains.analysis import analyse
from gama.tools.domains.packs import Document, Pack, join_packs, read_pack
from gama.tools.registry import Registry

BEES = """\
name: Beekeeping
description: bees, hives, honey, swarms and the diseases of bees.
keywords: [bee, Hive, honey, swarm, beekeeper, queen bee, brood, varroa, apiary, wax]
"""
LETTER = (
    "My hive has lost its queen and the brood has varroa mites. Should the beekeeper take the honey from the apiary?"
)


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_folder_with_documents(tmp_path):
    write(tmp_path, "pack.yaml", BEES + "prompt: |\n  Name the season in every answer.\n")
    write(tmp_path, "documents/winter.md", "# Wintering\n\nA hive needs stores.")
    write(tmp_path, "documents/more/summer.txt", "Swarms leave in June.")
    write(tmp_path, "documents/picture.png", "no text")
    pack = read_pack(tmp_path)
    assert (pack.name, pack.prompt) == ("Beekeeping", "Name the season in every answer.")
    assert "hive" in pack.keywords and "queen bee" in pack.keywords
    assert {d.title: d.text for d in pack.documents} == {
        "Wintering": "# Wintering\n\nA hive needs stores.",
        "summer": "Swarms leave in June.",
    }


def test_a_single_file_with_documents_inline_and_by_path(tmp_path):
    write(tmp_path, "notes/one.txt", "First.")
    file = write(tmp_path, "bees.yaml", BEES + "documents:\n  - notes/one.txt\n  - {title: Two, text: Second.}\n")
    assert read_pack(file).documents == (Document("one", "First."), Document("Two", "Second."))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- a list", "no YAML object"),
        ("name: [unclosed", "no YAML object"),
        (BEES + "colour: red\n", "unknown field 'colour'; known: description"),
        (BEES.replace("Beekeeping", "law"), "'name' is that of a built-in domain"),
        (BEES.replace("Beekeeping", '"two\\nlines"'), "'name' is one line"),
        (BEES.replace("Beekeeping", "3"), "'name' is one line"),
        ("name: Bees\nkeywords: [bee]", "'description' is one line"),
        ("name: Bees\ndescription: bees.\nkeywords: bee", "'keywords' is a list"),
        ("name: Bees\ndescription: bees.\nkeywords: []", "'keywords' is a list"),
        (BEES + "prompt: " + "x" * 5_000, "'prompt' is a text of at most"),
        (BEES + "documents: ../secret.txt\n", "nothing below the pack's own folder"),
        (BEES + "documents: [/etc/hostname]\n", "nothing below the pack's own folder"),
        (BEES + "documents: [missing]\n", "nothing below the pack's own folder"),
        (BEES + "documents: [link.txt]\n", "nothing below the pack's own folder"),
        (BEES + "documents: [latin.txt]\n", "cannot be read as UTF-8"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(tmp_path, text, says):
    write(tmp_path, "secret.txt", "Planted")
    home = tmp_path / "pack"
    write(home, "pack.yaml", text)
    (home / "latin.txt").write_bytes(b"caf\xe9")
    (home / "link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(OptionError, match=says) as caught:
        read_pack(home)
    assert "pack.yaml" in str(caught.value) and "Planted" not in str(caught.value)


def test_a_link_out_of_the_documents_folder_is_passed_over(tmp_path):
    write(tmp_path, "secret.txt", "Planted")
    write(tmp_path, "pack/pack.yaml", BEES)
    write(tmp_path, "pack/documents/own.txt", "Own.")
    (tmp_path / "pack/documents/link.txt").symlink_to(tmp_path / "secret.txt")
    assert [d.text for d in read_pack(tmp_path / "pack").documents] == ["Own."]


def test_a_missing_pack():
    with pytest.raises(OptionError, match="no domain pack at .*nowhere"):
        read_pack("/nowhere")


def test_two_of_one_name():
    pack = Pack("Bees", "bees.", ("bee",))
    assert join_packs([pack], []) == (pack,)
    with pytest.raises(OptionError, match="two domain packs are called 'BEES'"):
        join_packs([pack], [Pack("BEES", "bees.", ("bee",))])


class Offered:
    """A pack as a plugin may make one: with what the contract asks for and no more."""

    name = "Beekeeping"
    description = "bees and hives."
    keywords = ("bee", "hive")


def test_a_plugin_offers_a_pack_and_a_broken_one_is_named():
    registry = Registry([domain_plugin("bees", Offered), domain_plugin("bad", lambda: Pack("", "", ()))])
    with pytest.warns(RuntimeWarning, match="plugin 'bad' is left out: domain pack ''"):
        assert registry.domain_packs() == (Pack("Beekeeping", "bees and hives.", ("bee", "hive")),)


def pack(tmp_path, more=""):
    return read_pack(write(tmp_path, "pack.yaml", BEES + more))


def test_its_letters_go_to_its_expert_and_others_do_not(tmp_path):
    packs = (pack(tmp_path, "prompt: Name the season.\n"),)
    rules = analyse(LETTER, words=word_vectors(), packs=packs).rules
    assert rules[0].domain == "Beekeeping"
    assert rules[0].prompt.endswith("\n\nName the season.") and "bees, hives, honey" in rules[0].prompt
    tax = "Which expenses can I deduct from my income tax as a freelancer, and by when is the tax return due?"
    with_pack = analyse(tax, words=word_vectors(), packs=packs).rules
    assert [r.domain for r in with_pack] == [r.domain for r in analyse(tax, words=word_vectors()).rules]


def test_a_name_that_no_vector_knows_is_found_by_its_keywords(tmp_path):
    packs = (Pack("Zzyzx-9", "bees and hives.", pack(tmp_path).keywords),)
    assert "Zzyzx-9" in [rule.domain for rule in analyse(LETTER, words=word_vectors(), packs=packs).rules]


def test_the_private_llm_may_name_it(tmp_path):
    replies = ["needs bees", "Beekeeping: Extremely High\nlaw: Medium", "Beekeeping: High\nLaw: Medium"]
    rules = analyse(
        "raw text", words=word_vectors(), packs=(pack(tmp_path),), complete=lambda messages: replies.pop(0)
    ).rules
    assert {rule.domain: rule.term for rule in rules}["Beekeeping"] == "High"
