"""From a film to files: frames drawn fast, parts in parallel, and only those that have changed.

`record` answers at once when nothing has changed; otherwise `make` plays the film (`sections`,
`naming`, `renderer`, `camera`, `encoder`, `pool`) and writes what belongs to it (`join`, `captions`,
`stills`).
"""
