"""What stores in SQL databases have in common. No adapter of its own: each database has one, with its own statements under the same names."""
