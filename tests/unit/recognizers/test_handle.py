"""Table for the recognizer `handle`: what it finds and what it leaves alone."""

from collections.abc import Callable

import pytest

from gama import Anonymizer
from gama.tools.recognizers.base import Recognizer, plain

Finder = Callable[[str, str], list[tuple[str, str]]]

FOUND = [
    ("follow @tokyo_drifter_jp please", "@tokyo_drifter_jp"),
    ("thanks u/ledgerlizard!", "u/ledgerlizard"),
    ("username: dash_monty", "dash_monty"),
    ("follow me on insta: OliviaStoneArt", "OliviaStoneArt"),
    ("add me, snap: realtomhale", "realtomhale"),
    ("someone called xX_LiamPrice_Xx scammed me", "xX_LiamPrice_Xx"),
    ('File "/home/mlind/app/tasks.py", line 88', "mlind"),
    ("see C:\\Users\\karo.w\\Desktop", "karo.w"),
    ("sshd[991]: Accepted publickey for rdek from 145.97.20.11", "rdek"),
    ("pam_unix: session opened for user hhans by (uid=0)", "hhans"),
    ('81.204.17.33 - bwalt [10/Oct/2023:13:55:36 +0000] "GET /x"', "bwalt"),
    ("my twitch is kofi_plays_late, by the way", "kofi_plays_late"),
    ("joy_lifts: hi\nbob: yo\njoy_lifts: bye", "joy_lifts"),
    (" jp.laine: hi\n bob: yo\n jp.laine: bye", "jp.laine"),
    ("NEXTCLOUD_ADMIN_USER: solveig", "solveig"),
    ('password authentication failed for user "kofi"', "kofi"),
    ("    Merge pull request #1187 from oskj/fix-tile-cache", "oskj"),
    ("   198  temperance <t@ironwell.dev>", "temperance"),
    ("2025-06-03T06:02:55.101Z ERROR [http-3] login failed user=uplaine", "uplaine"),
]

LEFT_ALONE = [
    "mail a@b.co",
    "@property\ndef x(self):",
    '@app.get("/")',
    "@everyone",
    "npm i @types/node",
    "user: hello",
    "cd /home/ubuntu/app",
    "open /home/index.html",
    "https://shop.example/home/about/",
    '81.204.17.33 - - [10/Oct/2023:13:55:36 +0000] "GET /x"',
    "Failed password for root from a host",
    "06:02:55 INFO session closed user=admin",
    "POSTGRES_USER: app, DB_USER=django",
    "render(request, user=viewer)",
    "   12  root <root@build.dev>",
    "Merge pull request #1187",
    "instagram: marketing tips",
    "the colour #FF8800 and page#TomHale",
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(find: Finder, text: str, value: str) -> None:
    assert value in [found for found, _ in find("handle", text)]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(find: Finder, text: str) -> None:
    assert find("handle", text) == []


@pytest.mark.parametrize(
    "tag", ["JusticeForTomHale", "FindNiamh", "ThankYouMrsPatel", "OliviaAndBen2025", "HollyAndMarkTieTheKnot"]
)
def test_a_hashtag_that_names_somebody_is_private(built: dict[str, Recognizer], tag: str) -> None:
    assert [span.private for span in built["handle"].find(plain(f"share #{tag} please"))] == [0.8]


@pytest.mark.parametrize("tag", ["BlackLivesMatter", "FridaysForFuture", "SummerOfLove", "TaylorSwift", "MeetTheTeam"])
def test_a_hashtag_that_names_nobody_or_somebody_famous_is_nobodys(built: dict[str, Recognizer], tag: str) -> None:
    assert [span.private for span in built["handle"].find(plain(f"share #{tag} please"))] == [0.0]
    assert Anonymizer().anonymize(f"Does #{tag} work for posts?").text == f"Does #{tag} work for posts?"


def test_a_famous_name_in_a_hashtag_is_somebodys_where_the_text_calls_somebody_so(built: dict[str, Recognizer]) -> None:
    (span,) = built["handle"].find(plain("We miss you, Danny. #DannyBoyleForever"))
    assert span.private == 0.8
    (span,) = built["handle"].find(plain("We miss your films. #DannyBoyleForever"))
    assert span.private == 0.0
