"""The error that people at the command line see."""


class InputError(ValueError):
    """Bad arguments or input; the text is one line that names the value and says what to do."""
