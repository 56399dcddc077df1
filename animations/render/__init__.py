"""From a film to files: frames drawn fast, beats in parallel, and only those that have changed.

`record` answers at once when nothing has changed; otherwise `make` plays the film (`sections`,
`renderer`, `camera`, `encoder`, `pool`) and writes what belongs to it (`join`, `captions`,
`stills`).
"""
