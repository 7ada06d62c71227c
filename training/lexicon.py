"""Lists that surrogates and generated documents draw from: names, places, bodies, demographic words.

Names, cities, firms and famous people come from the gazetteers (CC0, CC BY 4.0, PDDL, MIT), more names from Faker
(MIT); the short closed lists below are ours. What a person is called says nothing about privacy:
one private name in twelve is a famous one, so that the tagger learns to judge by context.
"""

import csv
import importlib
import json
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from gama.evals.datasets.corpus import Example
from gama.state.errors import InputError

LISTS: dict[str, tuple[str, ...]] = {
    "gender": ("female", "male", "non-binary", "woman", "man", "F", "M", "trans woman", "agender", "Male", "Female"),
    "blood_type": (
        "A+", "A-", "B+", "B-", "AB+", "AB-", "O+", "O-", "A positive", "B negative", "AB Rh-positive", "O negative",
        "O Rh+", "type O", "0 Rh-", "AB neg", "A pos",
    ),
    "sexual_orientation": (
        "gay", "lesbian", "bisexual", "straight", "heterosexual", "asexual", "pansexual", "queer", "homosexual", "bi",
    ),
    "ethnicity": (
        "Hispanic", "Latino", "Latina", "Kurdish", "Roma", "Han Chinese", "Yoruba", "Igbo", "Tamil", "Punjabi",
        "Basque",
        "Sami", "Zulu", "Māori", "Ashkenazi", "Pashtun", "Berber", "Hausa", "Quechua", "Navajo", "Bengali", "Arab",
        "African American", "Irish-American", "Somali", "Hmong",
    ),
    "race": ("Black", "White", "Asian", "Caucasian", "mixed race", "biracial", "South Asian", "Native American",
             "Pacific Islander", "multiracial", "black", "white", "East Asian"),
    "religion": (
        "Catholic", "Roman Catholic", "Muslim", "Sunni", "Shia", "Jewish", "Orthodox Jew", "Hindu", "Buddhist", "Sikh",
        "Protestant", "Lutheran", "Methodist", "Baptist", "Quaker", "Mormon", "Jehovah's Witness", "atheist",
        "agnostic",
        "Greek Orthodox", "Anglican", "Pentecostal", "Baha'i", "Jain", "Christian", "Seventh-day Adventist",
    ),
    "political_affiliation": (
        "Democrat", "Republican", "Labour voter", "Conservative", "Green Party member", "independent", "Libertarian",
        "socialist", "member of the Liberal Democrats", "registered Democrat", "SPD member", "left-wing", "centrist",
        "Tory", "Social Democrat", "progressive", "lifelong Republican",
    ),
    "education_level": (
        "high school diploma", "some college", "undergraduate", "postgraduate", "vocational training", "GED",
        "secondary school", "college graduate", "doctoral level", "primary education", "A-levels", "Abitur",
    ),
    "degree": (
        "BSc in Chemistry", "Bachelor of Arts", "MBA", "PhD in Linguistics", "Master of Science in Data Analytics",
        "B.A. in History", "Doctor of Medicine", "LLB", "master's in public health", "MSc Physics", "B.Tech", "MFA",
        "associate degree in nursing", "Bachelor of Engineering", "Juris Doctor", "M.Ed.", "PhD", "BA (Hons) in French",
        "Bachelor of Commerce", "doctorate in economics",
    ),
    "physical_feature": (
        "scar on the left cheek", "green eyes", "red hair", "butterfly tattoo", "freckles",
        "birthmark on her neck",
        "curly black hair", "shaved head", "blue eyes", "gap between the front teeth", "bald", "full beard",
        "left-handed", "sleeve tattoo", "pierced eyebrow", "brown eyes", "dimples", "long silver hair",
    ),
    "medical_condition": (
        "type 2 diabetes", "asthma", "hypertension", "epilepsy", "migraine", "peanut allergy", "depression",
        "anxiety",
        "lupus", "psoriasis", "celiac disease", "bipolar disorder", "HIV", "hepatitis C", "breast cancer", "COPD",
        "rheumatoid arthritis", "metformin", "sertraline", "lisinopril", "broken collarbone", "sleep apnea", "gout",
        "Crohn's disease", "hypothyroidism", "endometriosis", "PTSD", "kidney stones", "insomnia",
        "atrial fibrillation",
        "seasonal allergies", "iron-deficiency anemia", "Parkinson's disease", "multiple sclerosis", "insulin",
        "eczema",
        "herniated disc", "postpartum depression", "chronic back pain", "high blood pressure", "torn ACL",
    ),
    "disability": (
        "uses a wheelchair", "visually impaired", "deaf in one ear", "hearing aids", "dyslexia", "legally blind",
        "cerebral palsy", "paraplegic", "prosthetic leg", "autistic", "partially deaf", "dyslexic", "Down syndrome",
        "hard of hearing", "walks with a cane", "colour-blind", "limited mobility",
    ),
    "marital_status": ("single", "married", "divorced", "widowed", "separated", "engaged", "in a civil partnership",
                       "recently divorced", "Married", "Single", "widower", "unmarried"),
    "family": (
        "two children", "three kids", "one daughter", "twins", "no children", "son and a daughter", "four siblings",
        "mother of two", "father of three", "twin boys", "only child", "newborn", "five grandchildren", "2 kids",
    ),
    "language": (
        "English", "Spanish", "Mandarin", "Polish", "Tagalog", "Arabic", "Portuguese", "Hindi", "French", "German",
        "Turkish", "Urdu", "Swahili", "Vietnamese", "Korean", "Tamil", "Romanian", "Welsh", "Catalan", "Farsi", "Igbo",
    ),
    "nationality": (
        "American", "British", "Canadian", "Nigerian", "Indian", "German", "Brazilian", "Mexican", "Polish", "Turkish",
        "Irish", "Kenyan", "Filipino", "Vietnamese", "Portuguese", "Dutch", "Moroccan", "Ukrainian", "Egyptian",
        "Greek",
        "South Korean", "Pakistani", "Argentine", "Ghanaian", "Swiss", "Danish", "Jamaican", "Lebanese", "Australian",
    ),
    "nickname": (
        "Bear", "Duke", "Slim", "Bunny", "Red", "Ziggy", "Coco", "Tex", "Smiley", "Mouse", "Doc", "Gigi", "Ace", "Kiki",
        "Lefty", "Shorty", "Pepper", "Sunny", "Moose", "Birdie", "Jojo", "Big Al", "Dee", "Fizz", "Nana", "Speedy",
        "Professor", "The Hammer", "Skip", "Bubbles", "Tank", "Mimi", "Ozzie", "Pip", "Goose", "Scout",
    ),
    "government": (
        "Department of Motor Vehicles", "Social Security Administration", "Home Office", "Ministry of Health",
        "City Council", "Internal Revenue Service", "Immigration Department", "Bureau of Land Management",
        "County Clerk's Office", "Department of Education", "Public Works Department", "Finanzamt", "Police Department",
        "Ministry of Transport", "Fire Department", "Housing Authority", "Environmental Protection Agency",
    ),
    "ngo": (
        "Red Cross", "Doctors Without Borders", "Habitat for Humanity", "Save the Children", "Oxfam", "Amnesty",
        "Greenpeace", "Hope Harbor Foundation", "Clean Rivers Trust", "World Wildlife Fund", "Shelter",
        "Feeding Futures",
        "Open Door Refugee Fund", "Books for All", "Green Earth Alliance", "Paws Rescue", "Bright Start Charity",
    ),
    "healthcare": (
        "General Hospital", "Medical Center", "Family Clinic", "Children's Hospital", "Health Centre",
        "Dental Practice",
        "Memorial Hospital", "Community Clinic", "Eye Clinic", "Rehabilitation Centre", "Surgery", "Hospice",
        "Physiotherapy", "Urgent Care", "Women's Health Clinic", "University Hospital",
    ),
    "other_org": (
        "Rotary Club", "Chess Club", "Rowing Club", "Choir", "Book Circle", "Running Club", "Baptist Church",
        "Community Garden", "Jazz Quartet", "Football Club", "Mosque", "Scouts", "Tavern", "Mountain Rescue Team",
        "Quilters", "Parish", "Synagogue", "Tennis Club", "Theatre Group", "Debate Society",
    ),
    "facility": (
        "Central Station", "Riverside Park", "Room 214", "Oakwood Building", "Terminal 2", "Gate B14", "Block C",
        "Hillcrest Apartments", "St. Mark's Square", "Harbour View Residence", "Main Library", "Victoria Hall",
        "Ward 7", "Lakeside Stadium", "North Campus", "Elm Court", "Pier 9", "Unit 12", "Tower Two",
    ),
    "landmark": (
        "Golden Gate Bridge", "Eiffel Tower", "Central Park", "Mount Kilimanjaro", "Sydney Opera House", "Big Ben",
        "Lake Victoria", "Niagara Falls", "Colosseum", "Table Mountain", "Times Square", "Stonehenge", "Mount Fuji",
        "Brandenburg Gate", "Space Needle", "Christ the Redeemer", "Millennium Park", "Gateway Arch", "Tower Bridge",
    ),
    "region": (
        "California", "Bavaria", "Ontario", "Andalusia", "Queensland", "Kerala", "Texas", "Yorkshire", "Catalonia",
        "Ohio",
        "Tuscany", "Punjab", "Brittany", "Oregon", "Lagos State", "Kent", "Minas Gerais", "Nova Scotia", "Midwest",
        "NY", "TX", "CA", "Florida", "Galicia", "Silesia", "Gauteng", "Hokkaido", "New Jersey", "Cornwall",
    ),
    "street": (
        "Maple Street", "Elm Avenue", "High Street", "Oak Lane", "Church Road", "Park Avenue", "Station Road",
        "Sunset Boulevard", "King's Road", "Rue de la Paix", "Calle Mayor", "Hauptstraße", "Via Roma", "Mill Lane",
        "Birch Drive", "Willow Court", "Cedar Crescent", "Lindenweg", "Queen Street", "Baker Street", "Pine Terrace",
        "Avenida Paulista", "Washington Blvd", "Riverside Drive", "MG Road", "Nguyen Hue", "Harbor Way", "Fleet Street",
        "Abbey Close", "Jalan Sudirman", "Long Acre", "Meadow View", "Kingsway", "Ashgrove", "Bahnhofstrasse",
    ),
    "company": (
        "Northwind Logistics", "Blue Harbor Software", "Greenleaf Foods Ltd", "Apex Insurance", "Brightline Media",
        "Falcon Freight", "Kestrel Analytics", "Meridian Bank", "Pinecrest Realty", "Summit Motors", "Tidewater Energy",
        "Crestview Capital", "Orchard & Finch", "Novak Brothers", "Solaris GmbH", "Ironbridge Steel", "Lumen Studios",
    ),
    "school": (
        "Lincoln High School", "Riverside Community College", "St. Mary's Primary", "Westfield Academy",
        "Hillside Elementary School", "Trinity College", "Northgate Grammar School", "Oakridge Middle School",
    ),
}  # fmt: skip
"""Surfaces per subtype (and `street`), for those that have no gazetteer."""


@dataclass(frozen=True)
class Lexicon:
    """Everything to draw from, each a tuple in a fixed order."""

    forenames: tuple[str, ...]
    surnames: tuple[str, ...]
    famous: tuple[str, ...]
    """People known all over the world: public knowledge, unless somebody happens to share the name."""
    cities: tuple[str, ...]
    countries: tuple[str, ...]
    companies: tuple[str, ...]
    schools: tuple[str, ...]
    occupations: tuple[str, ...]
    seen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Surfaces of private marks in the annotated corpus, by subtype: they show how people really put such things."""

    def with_seen(self, examples: Iterable[Example]) -> "Lexicon":
        """Return a lexicon that also knows the private surfaces of some examples."""
        seen: dict[str, dict[str, None]] = {}
        for example in examples:
            for mark in example.marks:
                if len(mark.subtypes) == 1 and mark.private is not False:
                    seen.setdefault(mark.subtypes[0], {})[example.text[mark.start : mark.end]] = None
        return replace(self, seen={name: tuple(values) for name, values in seen.items()})

    def values(self, subtype: str) -> tuple[str, ...]:
        """Return the surfaces of a subtype that is drawn from a list; empty where it is made by a format."""
        drawn = {
            "first_name": self.forenames,
            "last_name": self.surnames,
            "city": self.cities,
            "country": self.countries,
            "company": self.companies,
            "school": self.schools,
            "occupation": self.occupations,
        }
        return drawn.get(subtype) or LISTS.get(subtype, ())


def _rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=delimiter))


def _distinct(items: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.strip() for item in items if item and item.strip()))


def read_lexicon(root: Path) -> Lexicon:
    """Read the gazetteers of a data folder.

    Args:
        root: Holds `gazetteers/` with `corpora`, `names_by_country`, `pantheon`, `universities`, `world_cities`.

    Raises:
        InputError: A file is missing.
    """
    lists = root / "gazetteers"
    try:
        jobs = json.loads((lists / "corpora" / "occupations.json").read_text(encoding="utf-8"))["occupations"]
        fortune = json.loads((lists / "corpora" / "fortune500.json").read_text(encoding="utf-8"))
        schools = json.loads(
            (lists / "universities" / "world_universities_and_domains.json").read_text(encoding="utf-8")
        )
        names = lists / "names_by_country"
        cities = _rows(lists / "world_cities" / "world-cities.csv")

        def common(kind: str) -> list[str]:
            return [row["Romanized Name"] for row in _rows(names / f"common-{kind}-by-country.csv")]

        return Lexicon(
            forenames=_distinct(common("forenames") + list(many_names("first", Random("first")))),
            surnames=_distinct(common("surnames") + list(many_names("last", Random("last")))),
            famous=_distinct([row["name"] for row in _rows(lists / "pantheon" / "pantheon.tsv", "\t")]),
            cities=_distinct([row["name"] for row in cities]),
            countries=_distinct([row["country"] for row in cities]),
            companies=_distinct([*LISTS["company"], *fortune["companies"]]),
            schools=_distinct([*LISTS["school"], *(row["name"] for row in schools)]),
            occupations=_distinct(jobs),
        )
    except (OSError, KeyError) as error:
        raise InputError(f"gazetteers are incomplete ({type(error).__name__}): see `read_lexicon`") from error


MOST_NAMES = 300
"""Names of one country at most: no country outweighs the others."""

_NAME = re.compile(r"[^\W\d_]{2,}(?:[-'’ ][^\W\d_]+)*")


def many_names(which: str, rng: Random) -> tuple[str, ...]:
    """Return distinct names of some fifty countries in Latin letters, at most `MOST_NAMES` of each, in a fixed order.

    The lists of the gazetteers hold the few commonest names of each country. What nobody has seen is what a tagger must
    know for a name by its place in the sentence, and only many names teach that.

    Args:
        which: `first` or `last`.
        rng: Chooses among the names of a country that has more.
    """
    from faker.providers import person

    found: dict[str, None] = {}
    for country in sorted(module.name for module in pkgutil.iter_modules(person.__path__)):
        provider = importlib.import_module(f"faker.providers.person.{country}").Provider
        names = sorted({name for name in _listed(provider, which) if _NAME.fullmatch(name) and _latin(name)})
        found |= dict.fromkeys(rng.sample(names, min(MOST_NAMES, len(names))))
    return tuple(found)


def _listed(provider: type, which: str) -> Iterator[str]:
    for attribute in dir(provider):
        if attribute.startswith(which) and "name" in attribute:
            values: Any = getattr(provider, attribute)
            # Lists of names, or names with their frequencies; methods and formats are neither.
            if isinstance(values, list | tuple | Mapping):
                yield from (value for value in values if isinstance(value, str))


def _latin(name: str) -> bool:
    return all(ord(char) < 0x250 or char == "’" for char in name)
