"""The page's modules by themselves: offsets, decisions that move with the text, preferences."""

SAMPLES = ["", "abc", "😀", "a😀b👩‍👩‍👧c", "é\u0301x", "𝒜" * 5 + "end", "नमस्ते 😀\n\ttab"]


def run(page, module, body, *arguments):
    return page.evaluate(f"async (args) => {{ const m = await import('/js/{module}.js'); {body} }}", list(arguments))


def test_offsets_agree_with_python(page):
    units = "const o = new m.Offsets(args[0]); return Array.from({length: [...args[0]].length + 1}, (_, n) => o.toUnits(n));"
    points = "const o = new m.Offsets(args[0]); return args[1].map((n) => o.toPoints(n));"
    for text in SAMPLES:
        expected = [len(text[:n].encode("utf-16-le")) // 2 for n in range(len(text) + 1)]
        assert run(page, "offsets", units, text) == expected
        assert run(page, "offsets", points, text, expected) == list(range(len(text) + 1))


MOVES = [
    ("one two three", "zero one two three", [(4, 7)], [(9, 12)]),
    ("one two three", "one two", [(4, 7)], [(4, 7)]),
    ("one two three", "one 2 three", [(4, 7), (8, 13)], [(6, 11)]),
    ("one two three", "one two three four", [(8, 13)], [(8, 13)]),
    ("one two three", "", [(4, 7)], []),
    ("aaaa", "aaa", [(0, 1), (3, 4)], [(0, 1)]),
    ("😀 one", "😁 one", [(3, 6)], [(3, 6)]),
]


def test_decisions_move_with_the_text(page):
    for before, after, given, expected in MOVES:
        made = [{"start": start, "end": end, "private": True} for start, end in given]
        moved = run(page, "decisions", "return m.shift(args[0], args[1], args[2]);", made, before, after)
        assert [(one["start"], one["end"]) for one in moved] == expected, (before, after)


def test_a_later_decision_takes_the_place_of_an_earlier_one(page):
    text = "Ann and Bob and Ann"
    made = [{"start": 0, "end": 3, "private": True}, {"start": 8, "end": 11, "private": False}]
    body = "return m.decide(args[0], args[1], args[2]);"
    same_words = run(page, "decisions", body, made, text, {"start": 16, "end": 19, "private": False})
    assert [(one["start"], one["private"]) for one in same_words] == [(8, False), (16, False)]
    over = run(page, "decisions", body, made, text, {"start": 2, "end": 9, "private": True})
    assert [(one["start"], one["end"]) for one in over] == [(2, 9)]
    left = run(page, "decisions", "return m.undecide(args[0], args[1], 16, 19);", made, text)
    assert [(one["start"], one["private"]) for one in left] == [(8, False)]


def test_preferences_send_only_what_was_chosen(page):
    body = "m.prefer('k', '2'); m.prefer('route', 'auto'); return m.options();"
    assert run(page, "preferences", body) == {"k": 2, "route": "auto", "privacy": "balanced"}
