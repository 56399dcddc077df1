"""The one error of `numeric`: what was given, what was expected, how to mend it."""


class NumericError(ValueError):
    """A call that has no right answer.

    Parameters
    ----------
    given
        What the caller passed.
    expected
        What would have been accepted.
    fix
        The shortest change that mends the call.
    """

    def __init__(self, given: str, expected: str, fix: str) -> None:
        super().__init__(f"given {given}; expected {expected}; {fix}")
        self.given, self.expected, self.fix = given, expected, fix

    def __reduce__(self) -> tuple:
        return type(self), (self.given, self.expected, self.fix)
