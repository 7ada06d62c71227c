"""GAMA as a Runnable: a step of a LangChain chain."""

from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda

from gama import Gama, Options

MODEL = None  # the built-in stand-in reader; or "openai:gpt-4o"

LETTER = "My name is Emma Williams, IBAN GB29 NWBK 6016 1331 9268 19. The notice period of my lease is three months."

prompt = ChatPromptTemplate.from_messages([("human", "{letter}\n\nHow long is the notice period?")])
gama = Gama(Options(public_model=MODEL), keep=False)
chain = prompt | gama | RunnableLambda(lambda reply: reply["answer"])

print("answer:", chain.invoke({"letter": LETTER}))
for part in (prompt | gama).stream({"letter": LETTER}):
    if "anonymized" in part and "answer" not in part:
        print("what left:", part["anonymized"].splitlines()[0])
