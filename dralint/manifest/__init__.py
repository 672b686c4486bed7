"""The content of a document: objects, their group and kind, and their parts that concern claims."""
