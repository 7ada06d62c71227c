#!/bin/sh
# A walk through the command line: look, hide, bring back, ask, explain, go on, forget. No key, no network.
set -e
cd "$(dirname "$0")"
GAMA="${GAMA:-gama}"          # or: GAMA="python -m gama"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== What would leave, and what is found"
$GAMA anonymize letter.txt

echo "== Keep the box (encrypted), so that the way back stays open"
$GAMA anonymize letter.txt --box "$work/letter.box" > "$work/hidden.txt"
$GAMA restore "$work/hidden.txt" --box "$work/letter.box" > "$work/back.txt"
cmp letter.txt "$work/back.txt" && echo "back, byte by byte"

echo "== What no detector can know, you can name"
printf 'The blue folder goes to the board. Who gets it?\n' | $GAMA anonymize - --deny 'blue folder'

echo "== Ask. With a real model: --public openai:gpt-4o"
$GAMA ask letter.txt --quiet --thread walk

echo "== How the answer came about"
$GAMA ask letter.txt --explain

echo "== Many records at once"
printf '%s\n' '{"id": 1, "text": "Emma Williams wants a refund."}' '{"id": 2, "text": "Is it open?"}' > "$work/in.jsonl"
$GAMA anonymize --jsonl "$work/in.jsonl"

echo "== Forget the conversation: its key goes first"
$GAMA forget walk

echo "== What is installed, answers, and is stored where"
$GAMA doctor
