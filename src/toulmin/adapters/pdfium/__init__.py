"""Pages of PDFs, drawn with PDFium."""
