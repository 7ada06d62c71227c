"""The tests: unit, contract, integration, the page in a browser, harnesses of the fuzzer."""
