"""The language of contracts: what a bundle says and how observations are judged.

Pure: no I/O, no clock, no randomness. What needs a process or a seed comes in through a port.
"""
