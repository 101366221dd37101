"""The tables that people list and read most, each without the functions that fill it.

Who reads them imports nothing of what failures and verdicts are made of. Every other table is declared next to the
functions that use it.
"""
