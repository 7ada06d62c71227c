#!/bin/sh
# For researchers: measure the finding of private data on annotated texts, and what the graph adds to a model's time.
# docs/evaluation.md tells the datasets, methods and figures; your own records go in with --data FILE.
set -e
GAMA="${GAMA:-gama}"
$GAMA eval identify --help | head -3
$GAMA eval identify --limit "${LIMIT:-20}"
$GAMA eval query --limit "${LIMIT:-20}"
