"""Makes the JSON Schemas of a release from its OpenAPI and the table of limits, for editors and other tools.

dralint does not validate with them: the decoder and the rules read the same two sources. A test compares both sides.
"""
