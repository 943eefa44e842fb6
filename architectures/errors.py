"""What can be wrong with an architecture, as the user wrote it."""


class ArchitectureError(ValueError):
    """The expression, network or data is not what the call needs; the message is one line for the user."""


class NotDifferentiableError(ArithmeticError):
    """A derivative is asked for where the function has none; the message names the offending node."""
