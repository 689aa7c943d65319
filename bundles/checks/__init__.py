"""One module a topic; each check one function. Importing this package registers them all.

Modules are found by name, so adding a check touches one file.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
