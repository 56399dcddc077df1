"""A bar is redrawn on a terminal and silent elsewhere until its end."""

import io

from animations.render.progress import Bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_how_much_is_done():
    stream = Terminal()
    bar = Bar("apple.zh", stream)
    bar.show(0, 0)
    bar.show(30, 60)
    bar.show(30, 60)
    bar.close("done")
    shown = stream.getvalue()
    assert "playing through" in shown
    assert shown.count("50%  30/60 frames") == 1
    assert shown.endswith("apple.zh  done\n")


def test_elsewhere_only_the_end_is_printed():
    stream = io.StringIO()
    bar = Bar("apple.zh", stream)
    bar.show(1, 2)
    bar.close("done")
    assert stream.getvalue() == "apple.zh  done\n"
