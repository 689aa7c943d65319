"""This program beside other people's: npm servers, the official suite, the Inspector."""
