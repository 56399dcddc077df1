"""How terms are drawn: Typst, LaTeX and text as folds over the one proved tree. Not trusted.

`fold` decides what is written and where parentheses stand; `text`, `latex` and `typst` spell it.
`names` gives one spelling to one thing, `forms` reads the notation of a definition, `meaning`
draws a definition as an equation, `slope` recognises derivatives by an entry. `document`
makes a whole derivation out of it, `plain` and `page` write that, `export` in any format.
"""
