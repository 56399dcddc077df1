"""Things that films are built from, beyond type: grids of numbers, spotlights, and the like.

One module a part. Each takes the theme, keeps role colours, and binds every number to its cell.
"""
