"""What a document holds: objects, their group and kind, and the parts of them that concern claims."""
