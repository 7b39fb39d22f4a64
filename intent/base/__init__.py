"""What every room stands on: errors, files from untrusted hands and their bounds, workers, the codebook,
tracking, words for numbers.
"""
