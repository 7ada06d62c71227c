"""Use the plugins: recognizers and domains work as soon as the package is installed; tools are chosen by name."""

from gama import Anonymizer, Options, build_graph

print("hidden:", Anonymizer().anonymize("My reader's card is LIB-2041-77.").text)

# The stand-in reader calls no tools; a real model is `public_model="openai:gpt-4o"`.
options = Options(tools=("loan_period",), k=1)
letter = "My card is LIB-2041-77. I want to borrow a book; the loan of a book is 28 days. How long is the loan?"
reply = build_graph(options).invoke({"question": letter})["reply"]
print("expert:", reply["domains"][0]["domain"])
print("answer:", reply["answer"])
