"""The data of the package: `dictionary.sqlite3`, beside this file. There is no code."""
