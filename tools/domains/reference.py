"""The 20 reference domains, in the paper's order (spec 01 §1.5)."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Domain:
    """One reference domain."""

    name: str
    description: str
    """One sentence: what the discipline covers; it ends the expert's prompt."""

    @property
    def keywords(self) -> tuple[str, ...]:
        """The discipline's vocabulary, lower-case."""
        return _keywords(self.name)


DOMAINS: tuple[Domain, ...] = (
    Domain("Entertainment", "film, television, music, games, shows, celebrities and the business around them."),
    Domain("Finance", "money and credit, banking, insurance, investment, taxes, pensions and personal budgets."),
    Domain("History", "past events, persons and societies, their sources, dates, causes and consequences."),
    Domain("Law", "statutes, contracts, rights and duties, liability, procedure, courts and legal remedies."),
    Domain("Sociology", "groups, families, institutions, inequality, migration, norms and how people live together."),
    Domain("Arts", "painting, sculpture, design, architecture, photography, dance and the performing arts."),
    Domain("Literature", "novels, poetry, drama, authors, genres, style and the interpretation of texts."),
    Domain("Medicine", "diseases, symptoms, diagnosis, treatment, drugs, nursing, prevention and public health."),
    Domain("Politics", "government, parties, elections, parliaments, public policy and international relations."),
    Domain("Sports", "disciplines, clubs, competitions, training, rules, records and athletes."),
    Domain("Technology", "computers, software, networks, devices, engineering, security and data."),
    Domain("Business", "companies, management, employment, marketing, trade, customers and operations."),
    Domain("Communication", "media, journalism, language, rhetoric, correspondence and public relations."),
    Domain("Science", "physics, chemistry, biology, mathematics, astronomy, methods and research."),
    Domain("Education", "schools, universities, teaching, learning, curricula, examinations and grades."),
    Domain("Environment", "climate, nature, pollution, energy, water, waste, biodiversity and their protection."),
    Domain("Agriculture", "crops, livestock, soil, forestry, fisheries, food production and rural life."),
    Domain("Philosophy", "ethics, logic, knowledge, mind, religion and the grounds of arguments."),
    Domain("Transportation", "roads, railways, aviation, shipping, vehicles, traffic, logistics and travel."),
    Domain("Psychology", "mind, behaviour, emotion, development, personality, therapy and mental health."),
)

NAMES: tuple[str, ...] = tuple(domain.name for domain in DOMAINS)


@cache
def _keywords(name: str) -> tuple[str, ...]:
    text = (files("gama.tools.domains") / "data" / "keywords" / f"{name.lower()}.txt").read_text(encoding="utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))
