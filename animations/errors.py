"""The one error of `animations`: what was given, what was expected, how to mend it."""


class FilmError(Exception):
    """A film, a part of one or a render that cannot be made as asked.

    Parameters
    ----------
    given
        What the caller passed, or what was found.
    expected
        What would have been accepted.
    fix
        The shortest change or command that mends it.
    kind
        The kind of finding that a check reports it as; ``""`` where it is none.
    """

    def __init__(self, given: str, expected: str, fix: str, kind: str = "") -> None:
        super().__init__(f"given {given}; expected {expected}; {fix}")
        self.given, self.expected, self.fix, self.kind = given, expected, fix, kind

    def __reduce__(self) -> tuple[type, tuple[str, str, str, str]]:
        return type(self), (self.given, self.expected, self.fix, self.kind)
