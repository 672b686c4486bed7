"""The JSON Schemas of a release: made from its OpenAPI and the table of limits, for editors and other tools.

Nothing in the program validates by them: the decoder and the rules read the same two sources. A test holds both sides
against each other.
"""
