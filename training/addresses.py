"""Street addresses as people of many countries write them."""

from random import Random


def street_address(rng: Random, street: str) -> str:
    """Return a house in the given street, with or without a flat."""
    house = rng.randint(1, 2400)
    return rng.choice((
        f"{house} {street}", f"{rng.randint(1, 190)} {street}", f"{street} {rng.randint(1, 190)}",
        f"Flat {rng.randint(1, 40)}, {rng.randint(1, 190)} {street}",
        f"{house} {street}, Apt {rng.randint(1, 40)}{rng.choice(('', 'B', 'C'))}",
        f"{house} {street} #{rng.randint(2, 90)}", f"PO Box {rng.randint(10, 9999)}",
        f"{rng.randint(1, 190)}{rng.choice('ab')} {street}", f"{house} {street}, Suite {rng.randint(1, 900)}",
        f"Apt {rng.randint(1, 40)}, {_house(rng)}, {street}",
        f"Flat {rng.choice('ABCDEF')}, {rng.randint(1, 40)}/F, {_house(rng)}",
        f"{_house(rng)}, {rng.randint(1, 190)} {street}", f"Unit {rng.randint(1, 40)}, {house} {street}",
        f"{street} {rng.randint(1, 90)}, {rng.randint(1, 9)}.{rng.choice(('º', ' OG', '. em', 'º izda', ' Stock'))}",
        f"{street} {rng.randint(1, 90)} int. {rng.randint(1, 20)}",
        f"{rng.randint(1, 190)}/{rng.randint(1, 40)} {street}",
        f"{rng.randint(1, 190)}-{rng.randint(1, 40)} {street}", f"Plot {rng.randint(1, 90)}, {street}",
        f"{street}, no. {rng.randint(1, 190)}", f"Room {rng.randint(100, 990)}, {_house(rng)}", _house(rng),
        f"Postfach {rng.randint(10, 99)} {rng.randint(10, 99)}", f"c/o {_house(rng)}, {street} {rng.randint(1, 90)}",
    ))  # fmt: skip


def _house(rng: Random) -> str:
    owner = rng.choice(
        "Harvest Orchard Willow Beech Granary Rose Anchor Kestrel Victoria Lotus Jade Palm Mill Chapel Forge Heron "
        "Riverside Sunrise Old Post St Anne Marigold Acacia Juniper Harbour".split()
    )
    kind = rng.choice(
        ("Cottage", "House", "Court", "Mansion", "Lodge", "Tower", "Villa", "Building", "Heights", "Farm")
    )
    return f"{owner} {kind}"
