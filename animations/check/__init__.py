"""Every film is checked, not just rendered: what a viewer would stumble over, found without pixels.

`snapshot` reads what stands on the stage at a settled frame, `rules` judges it, one small pure
function a kind of finding, and `inspect` plays a film dry and gathers the findings.
"""
