"""Documents: files of a format whose texts are changed and whose rest stays as it is. A file for each format."""
