"""PII-Bench made anew (spec 03): its taxonomy, values, samples, hard sets, records and statistics."""
