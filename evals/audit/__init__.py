"""The audit: the proof of the promises on the user's own machine, and a search of any LangGraph app for leaks."""
