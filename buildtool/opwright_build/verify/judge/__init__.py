"""Whether outputs are right, and what a run comes to: findings, and rows of gaps that disagree with it."""
