"""PII-Bench's taxonomy: 55 categories of 7 types, and which of our subtypes each one is (spec 03 §3.2)."""

from collections.abc import Mapping
from types import MappingProxyType

from gama.state.entities import TYPE_OF, EntityType

CATEGORIES: Mapping[EntityType, tuple[str, ...]] = MappingProxyType({
    "PER": ("Full Name", "Social Media Handle", "Nickname"),
    "CODE": (
        "Social Security Number", "Driver's License", "Bank Account", "Credit Card", "Phone Number", "IP Address",
        "Email Address", "Password Hash", "Passport Number", "Tax ID", "Employee ID", "Student ID",
    ),
    "LOC": ("Street Address", "City/Region", "Landmark"),
    "ORG": ("Company", "Educational Institution", "Government Agency", "NGO", "Healthcare Facility"),
    "DEM": (
        "Occupation", "Age", "Gender", "Height", "Weight", "Blood Type", "Sexual Orientation", "Nationality",
        "Ethnicity", "Race", "Religious Belief", "Political Affiliation", "Education Level", "Academic Degree",
        "Physical Features", "Medical Condition", "Disability Status",
    ),
    "DATETIME": ("Date", "Time", "Duration"),
    "QUANTITY": (
        "Monthly Income", "Monthly Expenses", "Account Balance", "Loan Amount", "Annual Bonus", "Credit Limit",
        "Social Security Payment", "Tax Payment", "Debt Ratio", "Investment Return", "ROI", "Credit Score",
    ),
})  # fmt: skip
"""The categories of each type, in the paper's order."""

TYPE_OF_CATEGORY: Mapping[str, EntityType] = MappingProxyType(
    {category: kind for kind, categories in CATEGORIES.items() for category in categories}
)
"""The type that a category belongs to."""

_OTHER_NAME = {
    "Social Media Handle": "handle", "Social Security Number": "ssn", "Driver's License": "drivers_license",
    "Phone Number": "phone", "Email Address": "email", "Passport Number": "passport", "City/Region": "city",
    "Educational Institution": "school", "Government Agency": "government", "Healthcare Facility": "healthcare",
    "Religious Belief": "religion", "Academic Degree": "degree", "Physical Features": "physical_feature",
    "Disability Status": "disability", "Monthly Income": "income", "Monthly Expenses": "expenses",
    "Account Balance": "balance", "Loan Amount": "loan", "Annual Bonus": "bonus",
}  # fmt: skip

SUBTYPE_OF: Mapping[str, str] = MappingProxyType(
    {name: _OTHER_NAME.get(name, name.lower().replace(" ", "_")) for name in TYPE_OF_CATEGORY}
)
"""Our subtype of a category."""

_NEAREST = {
    "first_name": "Full Name", "last_name": "Full Name", "initials": "Full Name", "iban": "Bank Account",
    "password": "Password Hash", "postcode": "Street Address", "region": "City/Region", "country": "City/Region",
    "facility": "Landmark", "other_org": "Company", "date_of_birth": "Date",
}  # fmt: skip

CATEGORY_OF: Mapping[str, str] = MappingProxyType(
    {subtype: category for category, subtype in SUBTYPE_OF.items()} | _NEAREST
)
"""The category of a subtype: its own, or the nearest of the same type where PII-Bench has none; some have neither."""


FIRST_SUBTYPE: Mapping[str, str] = MappingProxyType({
    "PER": "full_name", "CODE": "other_id", "LOC": "city", "ORG": "company", "DEM": "occupation",
    "DATETIME": "date", "QUANTITY": "amount",
})  # fmt: skip
"""The subtype that stands for each type where a method tells the seven types alone."""


def tag(category: str) -> str:
    """Return what stands for a masked value of a category: `<Phone Number>`."""
    return f"<{category}>"


assert all(TYPE_OF[SUBTYPE_OF[name]] == kind for name, kind in TYPE_OF_CATEGORY.items())
assert all(TYPE_OF[subtype] == kind for kind, subtype in FIRST_SUBTYPE.items())
