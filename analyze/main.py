#!/usr/bin/python3 -B
"""terrane analyze and terrane path: worlds and real ground measured alike, and two documents measured again.

    main.py analyze|path ...      as `terrane analyze ...` hands over
"""
import importlib
import os
import sys

import say


def run(command, words):
    try:
        status = importlib.import_module(f"{command}_command").run(words)
        sys.stdout.flush()
        return status
    except say.Failure as failure:
        say.error(failure)
        return failure.status
    except ModuleNotFoundError as missing:
        say.error(f"needs Python's {missing.name} (Debian: python3-numpy, python3-matplotlib and python3-gdal)")
    except MemoryError:
        say.error("out of memory")
    except OSError as problem:
        say.error(f"{problem.filename2 or problem.filename or 'standard output'}: {problem.strerror}")
    except KeyboardInterrupt:
        return 130
    return 1


if __name__ == "__main__":
    say.command = sys.argv[1]
    result = run(sys.argv[1], sys.argv[2:])
    sys.stderr.flush()
    os._exit(result)  # what could not be written is not tried again
