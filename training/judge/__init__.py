"""Trains the local judge: a cross-encoder that reads a claim and a passage. Nothing of the product imports it."""
