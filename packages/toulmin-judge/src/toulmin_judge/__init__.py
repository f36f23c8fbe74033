"""A model as package data: `model.onnx`, `tokenizer.json`, `manifest.json` and `MODEL_CARD.md`. It is read where it lies, and never imported."""
