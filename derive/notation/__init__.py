"""How terms are drawn: Typst, LaTeX and text as folds over the one proved tree. Not trusted."""
