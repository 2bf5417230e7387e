"""A library as a site: a record of each function, pages and drawings from it, and what makes HTML of them (ADR 303)."""
