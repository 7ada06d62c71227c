"""The larger tagger of GAMA, which reads every script: weights alone, in the folder `weights`."""
