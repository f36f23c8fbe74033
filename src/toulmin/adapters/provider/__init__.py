"""What calls of any provider over HTTP have in common: where it is, byte limits, pace, retries, faults. It is no adapter by itself."""
