"""Nodes of the public space: they see what crossed the airlock and nothing else.

A further node is a `ModelNode` in the file of its route, a row in `gama.nodes.steps`, a line of wiring in
`gama.graph.public_graph`, and a prompt: its file in `tools/domains/data/prompts` and its name in
`gama.tools.domains.prompts`.
"""
