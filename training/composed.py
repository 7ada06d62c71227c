"""Names of firms, clubs, offices, schools, clinics and places, and street addresses, put together from parts.

A short list teaches a tagger the list; parts put together teach what such names look like.
"""

from random import Random

from gama.training.lexicon import Lexicon

_FORMS = (
    "Ltd Ltd. Limited PLC LLC Inc Inc. GmbH AG KG S.A. S.L. SARL S.r.l. B.V. AB Oy ApS AS d.o.o. s.r.o. Kft. "
    "Pty Pte Bhd Corp Corp. Co. LLP"
).split()
_TRADES = (
    "Logistics Freight Foods Bakery Motors Roofing Plumbing Textiles Media Studios Analytics Software Consulting "
    "Partners Holdings Capital Insurance Realty Estates Brewing Coffee Catering Cleaning Security Shipping Travel "
    "Tours Interiors Robotics Optics Pharma Biotech Energy Solar Timber Steel Ceramics Printing Press Publishing Toys "
    "Fisheries Farms Dairy Vineyards Nurseries Jewellers Opticians Couriers Telecom Networks Labs Digital Games "
    "Fashion Tailors Bikes Garage Haulage Scaffolding Electrical Joinery Tiles Glass Paper Plastics Foundry Marine "
    "Aviation Cabs Removals Lettings Law Advisory Staffing Payroll Payments Credit Savings Mutual Trust Bank Pay"
).split()
_WORDS = (
    "Amber Anchor Apex Aurora Beacon Birch Blue Brass Bright Cedar Cloud Cobalt Copper Coral Crane Crest Delta "
    "Dove Ember Falcon Fern Fox Glen Golden Granite Green Grove Harbour Hawk Hazel Heron Ivory Jade Juniper "
    "Kestrel Lantern Larch Lotus Lunar Maple Meridian Mint Moss North Nova Oak Olive Onyx Orchard Otter Pearl "
    "Pine Pioneer Prime Quartz Raven Red River Robin Rowan Saffron Silver Sky Snow Solar South Spark Star Stone "
    "Summit Sun Swift Tidal Topaz Union Velvet Vista Willow Wind Wren Zenith Zest"
).split()
_CLUBS = (
    "Rowing Club;Chess Club;Choir;Book Circle;Running Club;Football Club;FC;United;Rovers;Wanderers;Athletic;Harriers;"
    "Tennis Club;Cricket Club;Rugby Club;Bowls Club;Sailing Club;Judo Club;Theatre Group;Players;Debate Society;"
    "Historical Society;Photographic Society;Brass Band;Jazz Quartet;Orchestra;Scouts;Quilters;Allotment Association;"
    "Residents' Association;Women's Institute;Rotary Club;Lions Club;Mountain Rescue Team;Parish;Baptist Church;"
    "Methodist Church;Chapel;Mosque;Synagogue;Gurdwara;Temple;Tavern;Arms;Inn;Bar;Café;Bistro;Gym;CrossFit;Yoga;"
    "Dance School;Swimming Club;Gymnastics;Union;Workers' Union;Federation;Knitting Circle;Ramblers;Astronomers"
).split(";")
_SAINTS = "St. St Saint San Santa São Sankt Sint Sveti".split()
_SCHOOLS = (
    "Primary School;Elementary School;High School;Grammar School;Academy;College;Community College;University;"
    "Institute of Technology;Secondary School;Middle School;Kindergarten;Nursery;Montessori;Gymnasium;Lycée;Gymnasium;"
    "Collegiate;Boarding School;Business School;Law School;Conservatory;Art School;Polytechnic;Sixth Form"
).split(";")
_CLINICS = (
    "Hospital;General Hospital;Memorial Hospital;Medical Center;Medical Centre;Clinic;Family Clinic;Health Centre;"
    "Surgery;Dental Practice;Dental Care;Eye Clinic;Hospice;Care Home;Nursing Home;Physiotherapy;Pharmacy;Chemist;"
    "Children's Hospital;University Hospital;Rehab;Maternity Hospital;Infirmary;Fertility Centre;Veterinary Clinic;"
    "Urgent Care;Orthopaedics;Dermatology;Cancer Centre;Polyclinic"
).split(";")
_OFFICES = (
    "City Council;County Council;Borough Council;Town Hall;District Court;County Court;Magistrates' Court;"
    "High Court;Police;Police Department;Sheriff's Office;Fire Department;Housing Authority;Tax Office;Job Centre;"
    "Department of Education;Department of Health;Registry Office;Land Registry;Prefecture;Municipality;"
    "Immigration Service;Licensing Board;Water Board;Port Authority;Probation Service;Electoral Office;Consulate"
).split(";")
_GOOD = (
    "Foundation;Trust;Relief Fund;Food Bank;Rescue;Animal Shelter;Refugee Council;Hospice Charity;Alliance;"
    "Initiative;Project;Aid;Helpline;Society for the Blind;Community Trust;Soup Kitchen;Homeless Shelter;Youth Project"
).split(";")
_PLACES = (
    "Library;Town Hall;Leisure Centre;Station;Central Station;Bus Station;Stadium;Park;Community Centre;Market Hall;"
    "Arena;Airport;Terminal 2;Harbour;Ferry Terminal;Crematorium;Cemetery;Prison;Barracks;Theatre;Cinema;Mall;"
    "Shopping Centre;Business Park;Industrial Estate;Retail Park;Car Park;Playground;Pool;Hotel;Hostel;Campsite"
).split(";")
_ROOMS = "Room room Ward ward Block Unit bay Hall Gate Lab Suite Court".split()


def organisation(subtype: str, rng: Random, lexicon: Lexicon) -> str | None:
    """Return an invented name of a subtype of ORG, or of a facility; None for any other subtype."""
    place, owner = rng.choice(lexicon.cities), rng.choice(lexicon.surnames)
    first, word, other = rng.choice(lexicon.forenames), rng.choice(_WORDS), rng.choice(_WORDS)
    saint = f"{rng.choice(_SAINTS)} {first}"
    trade, form, partner = rng.choice(_TRADES), rng.choice(_FORMS), rng.choice(lexicon.surnames)
    letters = "".join(rng.choice("ABCDEFGHIKLMNOPRSTUVW") for _ in range(3))
    if subtype == "company":
        return rng.choice((
            f"{owner} {trade}", f"{owner} & {partner}", f"{owner} & Sons", f"{word} {other}", f"{word}{other.lower()}",
            f"{word} {trade}", f"{first}'s", f"{word} {trade} {form}", f"{owner} {form}", f"{word}{trade.lower()}",
            f"{place} {trade}", f"{first} {owner} {form}", f"{word} & {other}", f"{owner}, {partner} & Co.", letters,
            f"{letters} {trade}", rng.choice(lexicon.companies), f"{word.lower()}ly", f"{place}er {trade}",
            f"{trade} {owner}", f"{first} {trade}",
        ))  # fmt: skip
    if subtype == "school":
        if rng.random() < 0.35:
            return rng.choice(lexicon.schools)
        named = rng.choice((place, saint, owner, word + rng.choice(("field", "wood", "side"))))
        return f"{named} {rng.choice(_SCHOOLS)}"
    if subtype == "facility":
        spot = rng.choice(
            (str(rng.randint(1, 60)), rng.choice("ABCDEFG"), f"{rng.choice('ABCDEFG')}{rng.randint(1, 40)}")
        )
        kind = rng.choice(_PLACES)
        return rng.choice((f"{place} {kind}", f"{owner} {kind}", kind, f"{rng.choice(_ROOMS)} {spot}"))
    if subtype == "government":
        office = rng.choice(_OFFICES)
        return rng.choice((f"{place} {office}", office))
    kinds = {"other_org": _CLUBS, "ngo": _GOOD, "healthcare": _CLINICS}.get(subtype)
    if kinds is None:
        return None
    named = rng.choice((place, saint, owner, word, f"{word} {other}", first if subtype == "other_org" else owner))
    return f"{named} {rng.choice(kinds)}"


def street_address(rng: Random, street: str) -> str:
    """Return a house in the given street, with or without a flat, as people of many countries write it."""
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
