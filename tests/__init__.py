"""The tests, by rooms of dralint; house, conformance, fuzz, packaging, pods, rules and bench concern several rooms."""
