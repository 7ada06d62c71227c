// Names of types, subtypes and views, as people read them.

export const TYPES = {
  PER: "Person", CODE: "Code or number", LOC: "Place", ORG: "Organisation", DEM: "About a person",
  DATETIME: "Date or time", QUANTITY: "Amount",
};

export const SHORT = { PER: "person", CODE: "code", LOC: "place", ORG: "org", DEM: "about", DATETIME: "date", QUANTITY: "amount" };

export const VIEWS = {
  pner: "detector", regex: "pattern", pia: "context", fusion: "both together", user: "you",
};

// Categories of PII-Bench where they have another name than the subtype's own.
const CATEGORIES = {
  ssn: "Social Security Number", drivers_license: "Driver's License", phone: "Phone Number", email: "Email Address",
  passport: "Passport Number", handle: "Social Media Handle", landmark: "Landmark", city: "City/Region",
  region: "City/Region", country: "City/Region", school: "Educational Institution", government: "Government Agency",
  ngo: "NGO", healthcare: "Healthcare Facility", religion: "Religious Belief", degree: "Academic Degree",
  physical_feature: "Physical Features", disability: "Disability Status", income: "Monthly Income",
  expenses: "Monthly Expenses", balance: "Account Balance", loan: "Loan Amount", bonus: "Annual Bonus", roi: "ROI",
  ip_address: "IP Address", tax_id: "Tax ID", employee_id: "Employee ID", student_id: "Student ID", iban: "IBAN",
  mac_address: "MAC Address", api_key: "API Key", url: "URL", device_id: "Device ID", other_id: "Other ID",
  patient_id: "Patient ID", other_org: "Other Organisation",
};

const plain = (word) => word.replaceAll("_", " ");

/** The category that a subtype has in PII-Bench, or its own name. */
export function category(subtype) {
  return CATEGORIES[subtype] ?? plain(subtype).replace(/(^| )[a-z]/g, (letter) => letter.toUpperCase());
}

/** A subtype in words. */
export function named(subtype) {
  const own = CATEGORIES[subtype];
  return own && /^[A-Z]{2}| ID$|SSN/.test(own) ? own : plain(subtype);
}

/** Who found a mention, in words. */
export function foundBy(views) {
  return views.map((view) => VIEWS[view] ?? view).join(", ") || "nobody";
}

export function percent(score) {
  // 100 % would say that it is certain; only a rule or a person is.
  return `${Math.min(score < 1 ? 99 : 100, Math.round(score * 100))} %`;
}

/** Ways to an answer, in words. */
export const ROUTES = { both: "experts, then a cross-check", knowledge: "sub-questions", logic: "reasoning and substitution" };

/** How the cross-check ended, in words. */
export const VERDICTS = {
  converged: "nothing speaks against the answer any more", exhausted: "no rival answer is left",
  unconverged: "the limit of rounds was reached", "no verdict": "no verdict could be read", off: "off",
};
