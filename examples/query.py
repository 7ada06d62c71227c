"""Query-aware masking: what a query needs stays in clear, only the rest is hidden."""

from gama import Anonymizer, Gama, Options

MODEL = None  # the built-in stand-in reader; or "openai:gpt-4o"

TEXT = (
    "Emma Williams, 41, of Whitby, has had type 2 diabetes since 2016. She earns £3,150 a month and still owes £18,300 "
    "on her car. Her passport is 533401372."
)

anonymizer = Anonymizer()
for query in ("Could she pay the loan off within a year?", "Is her passport number valid?"):
    view = anonymizer.anonymize(TEXT, query)
    print("query:", query)
    print("hidden:", view.text)
    print("notes:", view.warnings)

# In the graph the query leaves behind the text, anonymized like it.
reply = Gama(Options(public_model=MODEL), keep=False).invoke(
    {"question": TEXT, "query": "Could Emma Williams pay the loan off within a year?"}
)
print("left:", reply["anonymized"].splitlines()[-1])
