"""Language models write strategies: words, code, the gate, a trial, and a record of it all."""
