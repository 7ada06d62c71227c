"""What a face decides of the options that are left to it."""

from gama.state.options import Options


def balancing(options: Options) -> Options:
    """Return options for a face where a person looks on: a level of privacy that is left to the face is `balanced`."""
    return options.model_copy(update={"privacy": "balanced"}) if options.privacy == "auto" else options


def refusing(options: Options) -> Options:
    """Return options for a face where nobody looks at what leaves: what is left to the face is refused there."""
    return options.model_copy(update={"unknown_scripts": "refuse"}) if options.unknown_scripts == "auto" else options


def reckoning(options: Options, told: bool = True) -> Options:
    """Return options for a face whose model is told of formulas: the sums that they reckon with are hidden.

    Args:
        options: those that were chosen; who said that nobody reckons is heeded.
        told: whether the model is told.
    """
    return options.model_copy(update={"formulas": True}) if told and options.formulas is None else options
