"""The gateway: OpenAI's and Anthropic's protocols, anonymized on the way out and restored on the way back."""
