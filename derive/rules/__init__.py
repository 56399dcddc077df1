"""Every rule of inference, by name. *Trusted files.*

A rule is a plain function from premises and arguments to a `Sequent`; its checks and its statement
are one object. It raises `RuleError` when a side condition is not met. `RULES` is the whole logic.
"""

from derive.rules import algebra, limits, order, rewriting, structure
from derive.rules.sequent import Sequent

RULES = {**structure.RULES, **rewriting.RULES, **algebra.RULES, **order.RULES, **limits.RULES}

__all__ = ["RULES", "Sequent"]
